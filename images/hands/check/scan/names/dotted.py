"""Dotted names as the rules spell them: one spelling for each module, whatever road leads to it."""

from __future__ import annotations

PARTIAL = "<partial>"  # marks a partial: called like the function, but an object of its own
SAME_MODULE = {
    **{"posix": "os", "nt": "os", "_operator": "operator", "_pickle": "pickle", "cPickle": "pickle", "_io": "io"},
    **{"_ctypes": "ctypes", "_signal": "signal", "_json": "json", "_datetime": "datetime", "_random": "random"},
    **{"_imp": "imp", "_frozen_importlib": "importlib", "_frozen_importlib_external": "importlib.machinery"},
    "__builtin__": "builtins",
}


def canonical(name: str) -> str:
    """The same spelling for different names of one module."""
    top, dot, rest = name.partition(".")
    return SAME_MODULE.get(top, top) + dot + rest


def as_called(name: str) -> str:
    return name.removeprefix(PARTIAL)


def attribute_of(base: str, name: str) -> str:
    if base.startswith(PARTIAL):
        return as_called(base) if name == "func" else f"{base}.{name}"
    if name == "__builtins__" or (name == "__self__" and base.startswith("builtins.")):
        return "builtins"
    if name == "__class__" and base.startswith("<own>"):
        return base
    return f"{base}.{name}"
