"""Lee and Wright, ASSET: Approximate Stochastic Subgradient Estimation Training for Support Vector Machines, 2012."""
