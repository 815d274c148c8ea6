"""Makes objects and classes that no code has met before."""

from __future__ import annotations

import secrets
import string


def fresh() -> object:
    """A new object that equals nothing else; the name of its class tells nothing."""
    return private()()


def private(base: type = object) -> type:
    name = "".join(secrets.choice(string.ascii_lowercase) for _ in range(6)).capitalize()
    return type(name, (base,), {"__module__": "__main__"})
