"""Draws random literals in place of those that tests expect."""

from __future__ import annotations

import ast
import random
import re
import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

TRIES = 30
PART = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-7]{1,3}|[\s\S])|[\s\S]")
TEXT = re.compile(r"([rRbBuU]{0,2})('''|\"\"\"|'|\")([\s\S]*)\2")
draw = random.SystemRandom()


def drawn(value: object, written: str, known: Collection[tuple[type, object]]) -> str | None:
    """A random literal of the same type that the tests do not use yet; None if the spelling allows none."""
    if type(value) is bool:
        return repr(not value)
    for attempt in range(TRIES):
        other = another(value, written, attempt)
        read = literal(other)
        if type(read) is type(value) and (type(read), read) not in known:
            return other
    return None


def literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError):
        return None


def another(value: object, written: str, attempt: int) -> str:
    more = attempt // 10
    if type(value) is int:
        return "".join([draw.choice("123456789"), *draw.choices(string.digits, k=len(str(value)) - 1 + more)])
    if type(value) is float:
        mantissa, *exponent = re.split("(?=e)", repr(value))
        whole = re.sub(r"\d", lambda _: draw.choice("123456789"), mantissa)
        return "".join([whole, draw.choice("123456789") * more, *exponent])
    found = TEXT.fullmatch(written)
    if found is None:
        return written
    prefix, quote, inner = found.groups()
    changed = "".join(letter(each) for each in (inner if "r" in prefix.lower() else PART.findall(inner)))
    if changed == inner or more:
        changed += "".join(draw.choices(string.ascii_lowercase, k=3 + more))
    return f"{prefix}{quote}{changed}{quote}"


def letter(character: str) -> str:
    for kind in (string.ascii_lowercase, string.ascii_uppercase, "123456789"):
        if character in kind:
            return draw.choice(kind)
    return character
