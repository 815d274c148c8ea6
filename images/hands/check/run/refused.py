"""Recognises a conftest that is written for another pytest than the one that runs, and says which pytest to pin."""

from __future__ import annotations

import re

import pluggy
import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

RUNNING = int(pytest.__version__.partition(".")[0])
OLDEST = 7
REMOVED_HOOKS = {"pytest_cmdline_preparse": 8, "pytest_warning_captured": 8}
NEWER = {"Dir", "Directory", "HIDDEN_PARAM", "RaisesExc", "RaisesGroup", "SubtestReport", "Subtests"}
OF_PYTEST = re.compile(r"^module '_?pytest\b[\w.]*' has no attribute")


def refusal(errors: Iterable[BaseException]) -> str:
    """A sentence, from an error and its causes; "" when pytest has no part in it."""
    for error in errors:
        removed = removed_in(error)
        if removed is not None:
            return f"pytest {pytest.__version__} refuses it ({summary(error)}); {advice(error, removed)}"
    return ""


def removed_in(error: BaseException) -> int | None:
    """The version of pytest that no longer has what is asked for; None if pytest is not the cause."""
    warned = re.fullmatch(r"PytestRemovedIn(\d+)Warning", type(error).__name__)
    if warned:
        return int(warned[1])
    if isinstance(error, pluggy.PluginValidationError):
        hook = re.search(r"unknown hook '(\w+)'", str(error))
        return REMOVED_HOOKS.get(hook[1]) if hook else RUNNING if "declared in the hookimpl" in str(error) else None
    if isinstance(error, ImportError):
        module = (error.name or "").partition(".")[0]
        return RUNNING if module in ("pytest", "_pytest") else None
    return RUNNING if isinstance(error, AttributeError) and OF_PYTEST.match(str(error)) else None


def summary(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if len(lines) < 2 else f'{lines[0]} {lines[-1]}'}"


def advice(error: BaseException, removed: int) -> str:
    name = re.search(r"(?:import name|has no attribute) '(\w+)'", str(error))
    if name and name[1] in NEWER:
        return f"pin a pytest that is newer in the dependency files, or write it for pytest {RUNNING}"
    older = min(removed, RUNNING)
    if older > OLDEST:
        return f"pin pytest<{older} in the dependency files, or write it for pytest {RUNNING}"
    return f"write it for pytest {RUNNING}"
