"""Plain values as texts that can be compared between runs."""

import hashlib

LONGEST = 2_000
DEEPEST = 9
PLAIN = (int, float, str, bytes)
HELD_IN = (list, tuple, dict)


def spelt(value, depth=0):
    """The value as text; None if it is not plain, or is of a kind that too many share, such as a bool."""
    if type(value) in PLAIN:
        return repr(value)[:LONGEST]
    if type(value) not in HELD_IN or depth > DEEPEST:
        return None
    inner = [*value.items()] if type(value) is dict else value
    found = [spelt(each, depth + 1) for each in inner]
    return None if None in found else f"{type(value).__name__}{found}"


def mark(value):
    """A short text that differs from value to value; "" where nothing can be told."""
    text = repr(value) if type(value) is bool else spelt(value)
    return "" if text is None else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
