"""
No idea of C and gamma
======================

`OnlineSVCCV` chooses them in `fit`. The default gamma does not see the small spirals.
"""

import matplotlib.pyplot as plt
from _boundary import draw_boundary

from hinge import OnlineSVC, OnlineSVCCV
from hinge.datasets import load

data = load("spirals")
X, y = data.X_train[:600], data.y_train[:600]
figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
draw_boundary(OnlineSVC(random_state=0).fit(X, y), X, y, axes[0], "default parameters")
tuned = OnlineSVCCV(Cs=4, gammas=4, random_state=0).fit(X, y)
draw_boundary(tuned, X, y, axes[1], f"C={tuned.C_:.3g}, gamma={tuned.gamma_:.3g}")
