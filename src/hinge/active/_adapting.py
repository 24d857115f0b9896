"""What the adapters to other packages have in common."""

from __future__ import annotations

from typing import Any

from hinge.active._teaching import is_fitted


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
    classes = getattr(model, "classes_", "ab") if is_fitted(model) else None
    return classes is not None and len(classes) > 1
