"""Draw the decision boundary of a model of two features."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np


def draw_boundary(model: Any, X: Any, y: Any, ax: Any = None, title: str = "") -> None:
    """Colour the plane by the decision function of `model`, with the boundary as a line and the examples as dots."""
    ax = plt.gca() if ax is None else ax
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    across, up = np.meshgrid(np.linspace(low[0], high[0], 100), np.linspace(low[1], high[1], 100))
    decisions = model.decision_function(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    limit = np.abs(decisions).max()
    ax.contourf(across, up, decisions, levels=20, cmap="RdBu", vmin=-limit, vmax=limit, alpha=0.6)
    ax.contour(across, up, decisions, levels=[0], colors="black")
    ax.scatter(X[:, 0], X[:, 1], c=y, cmap="RdBu", s=10, edgecolors="black", linewidths=0.3)
    ax.set(xticks=[], yticks=[], title=title)
