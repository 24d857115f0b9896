"""Online learning with LASVM."""

from hinge.online._svc import OnlineSVC

__all__ = ["OnlineSVC"]
