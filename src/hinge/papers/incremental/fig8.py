"""Figure 8: test error on USPS of exact machines that may hold only so many examples, ten classes.

Each of ten machines has a window of M examples; when it is full, one example leaves before the next is learned. The
paper lets the one of least weight go. Here that rule is followed with the library's exact `forget`, beside the
library's own rule, which asks how much the dual objective would miss an example.

The paper's kernel has sigma^2 = 0.3 * 256 and pixels whose scale it does not give; Vapnik's setting, which it refers to,
is exp(-|x - z|^2 / (0.3 * 256)) on pixels from -1 to 1.
"""

from __future__ import annotations
