"""Formatting of numbers in tables; a value that was not measured becomes a dash."""

from __future__ import annotations

import math

MISSING = "-"


def sentence(text: str) -> str:
    """Return a text with exactly one full stop at its end."""
    return f"{text.rstrip('.')}." if text else ""


def decimal(value: float, digits: int = 2) -> str:
    """Format a number with a given number of digits after the point."""
    return MISSING if math.isnan(value) else f"{value:,.{digits}f}"


def percent(value: float, digits: int = 2) -> str:
    """Format a percentage, such as a test error."""
    return MISSING if math.isnan(value) else f"{value:.{digits}f} %"


def count(value: float) -> str:
    """Format a whole number."""
    return MISSING if math.isnan(value) else f"{value:,.0f}"


def millions(value: float) -> str:
    """Format a large count in millions."""
    return MISSING if math.isnan(value) else f"{value / 1e6:,.{1 if value < 1e8 else 0}f} M"


def change(value: float) -> str:
    """Format a relative change: 0.1 is +10 %."""
    return MISSING if math.isnan(value) else f"{100 * value:+.0f} %"


def signed(points: float) -> str:
    """Format a difference of test errors, in percentage points."""
    return MISSING if math.isnan(points) else f"{points:+.2f}"


def multiple(value: float) -> str:
    """Format a ratio."""
    return MISSING if math.isnan(value) else f"{value:.{2 if value < 10 else 0 if value > 99 else 1}f} x"
