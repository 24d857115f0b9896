"""Online SVMs that resist wrong labels."""

from hinge.robust._svc import RobustOnlineSVC

__all__ = ["RobustOnlineSVC"]
