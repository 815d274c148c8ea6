"""Errors that keep files from being collected, each with its reason, and the modules that are missing."""

from __future__ import annotations

import os
import sys

import pytest

from check.project import options
from check.run.outcomes import TEXT_SHOWN
from check.run.refused import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from check.wire.shapes import CollectError

BY_PYTEST = (pytest.UsageError, pytest.Collector.CollectError)


class Collection:
    def __init__(self) -> None:
        self.errors: list[CollectError] = []
        # by node, as pytest met it
        self.raised: dict[str, BaseException] = {}
        self.missing: set[str] = set()

    def note(self, path: str, error: BaseException | None, text: str = "") -> None:
        reason = "usage_error" if of_pytest(error) else "error"
        for cause in chain(error):
            if isinstance(cause, SyntaxError):
                reason = "syntax_error"
            elif isinstance(cause, ImportError):
                reason = "import_error"
                if self.note_missing(cause):
                    reason = "missing_module"
                elif hidden_by_image(cause):
                    reason = "hidden_module"
        relative = os.path.relpath(path, options.WORKSPACE) if os.path.isabs(path) else str(path)
        said = text or f"{type(error).__name__}: {error}"
        refused = refusal(chain(error)) if os.path.basename(path) == "conftest.py" else ""
        if refused:
            reason, said = "refused_by_pytest", f"{refused}\n\n{said}"[:TEXT_SHOWN]
        self.errors.append({"path": relative, "reason": reason, "text": said[-TEXT_SHOWN:]})

    def note_missing(self, error: BaseException) -> bool:
        """Whether nothing in image or tree could provide a module that was wanted."""
        if not isinstance(error, ModuleNotFoundError) or not isinstance(error.name, str):
            return False
        name = error.name.partition(".")[0]
        if not name or in_tree(name) or name in sys.modules:
            return False
        self.missing.add(name)
        return True


def of_pytest(error: BaseException | None) -> bool:
    """Whether pytest itself objects to how a file is written: no change of the project makes that go away."""
    return isinstance(error, BY_PYTEST) or (isinstance(error, pytest.fail.Exception) and not error.pytrace)


def chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def in_tree(name: str) -> bool:
    places = [path for path in sys.path if options.is_in_tree(path)]
    return any(os.path.exists(os.path.join(path, name + end)) for path in places for end in ("", ".py"))


def hidden_by_image(error: ImportError) -> bool:
    name = (getattr(error, "name", None) or "").partition(".")[0]
    loaded = getattr(sys.modules.get(name), "__file__", None) or options.WORKSPACE
    return bool(name) and in_tree(name) and not loaded.startswith(options.WORKSPACE)
