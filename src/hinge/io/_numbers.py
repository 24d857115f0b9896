"""What counts as a number in a text file."""


def is_number(text: str | bytes) -> bool:
    """Tell whether a text is a number, NaN and infinity among them. Python alone would take 1_000 for one.

    Examples
    --------
    >>> is_number("1e3"), is_number(b"-.5"), is_number("1_000"), is_number("")
    (True, True, False, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return (b"_" if isinstance(text, bytes) else "_") not in text  # type: ignore[operator]
