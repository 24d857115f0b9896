"""The choices that users have about missing values, unknown categories and scaling."""

from hinge._model.params import choice
from hinge.tables._numbers import DECIMALS, THOUSANDS

MISSING_POLICIES = ("error", "drop", "fill")
UNKNOWN_POLICIES = ("error", "ignore")
SCALINGS = ("auto", "standard", "largest", "range", "none")


def check_policies(
    *,
    missing: str | None = None,
    unknown: str | None = None,
    scale: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> None:
    """Check the choices about rows; see `Preparation` and `Survey.preparation`.

    Parameters
    ----------
    missing : {"error", "drop", "fill"} or None
        How to handle missing values. None, here and below, is not checked.
    unknown : {"error", "ignore"} or None
        How to handle unknown categories and features.
    scale : {"auto", "standard", "largest", "range", "none"} or None
        How to scale features.
    decimal : {".", ","} or None
        The decimal sign.
    thousands : {",", ".", " ", "'"} or None
        What separates groups of three digits.

    Raises
    ------
    ParameterError
        If one of them has another value.
    """
    for name, value, allowed in (
        ("missing", missing, MISSING_POLICIES),
        ("unknown", unknown, UNKNOWN_POLICIES),
        ("scale", scale, SCALINGS),
        ("decimal", decimal, DECIMALS),
        ("thousands", thousands, THOUSANDS),
    ):
        if value is not None:
            choice(name, value, allowed)
