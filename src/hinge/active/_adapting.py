"""What the adapters to other packages have in common."""

from __future__ import annotations

from typing import Any

from hinge.active._teaching import is_fitted, knows_classes


def can_choose(model: Any) -> bool:
    """Tell whether a model knows enough to choose rows: it is fitted, to more than one class if it has classes.

    Examples
    --------
    >>> from hinge import OnlineSVC
    >>> can_choose(OnlineSVC()), can_choose(OnlineSVC().partial_fit([[0.0]], [1]))
    (False, False)
    >>> can_choose(OnlineSVC().partial_fit([[0.0], [1.0]], [1, 2]))
    True
    """
    return is_fitted(model) and knows_classes(model)
