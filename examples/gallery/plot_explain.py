"""
Why this digit?
===============

The examples that pull a decision most, for and against.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from hinge import IncrementalSVC

X, y = load_digits(return_X_y=True)
model = IncrementalSVC(C=10, gamma=0.001).fit(X[:600], y[:600])
reason = model.explain(X[700:701], n=3)[0]
shown = [("this digit", X[700])]
shown += [(f"for: a {y[part.id]}", X[part.id]) for part in reason.supporting[:3]]
shown += [(f"against: a {y[part.id]}", X[part.id]) for part in reason.opposing[:3]]
figure, axes = plt.subplots(1, len(shown), figsize=(12, 2.2), layout="constrained")
for ax, (title, image) in zip(axes, shown, strict=True):
    ax.imshow(image.reshape(8, 8), cmap="gray_r")
    ax.set_title(title, fontsize=10)
    ax.axis("off")
print(f"predicted {reason.label}, it is a {y[700]}")
