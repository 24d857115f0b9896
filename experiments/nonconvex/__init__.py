"""Ertekin, Bottou, Giles: Nonconvex Online Support Vector Machines, IEEE PAMI 33, 2011."""
