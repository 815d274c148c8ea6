"""Makes the environment of a project from its dependency files (build), makes wheels of what may be built from source for
it (wheels), or says whether an environment is still what was made (verify). Reads JSON on stdin, writes lines of JSON."""

from __future__ import annotations

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from environment.wire import BuildAnswer, BuildOrder, BuildRefusal

FULL = (28, 122)  # ENOSPC, EDQUOT


def build() -> None:
    from environment.making.build import build as built

    answer(built)


def wheels() -> None:
    from environment.making.build import wheels as made

    answer(made)


def answer(work: Callable[[BuildOrder], BuildAnswer]) -> None:
    from environment.problem import Problem, tell

    result: BuildAnswer | BuildRefusal
    try:
        result = work(json.load(sys.stdin))
    except Problem as problem:
        result = {"ok": False, "kind": problem.kind, "problem": problem.problem, "remedy": problem.remedy}
    except OSError as error:
        full = error.errno in FULL
        result = {
            "ok": False,
            "kind": "failed",
            "problem": "There is no room left on the disk of the environment." if full else str(error),
            "remedy": "Make room on the engine's disk and try again." if full else "Try again.",
        }
    tell({"result": result})


def verify() -> None:
    from environment.making.manifest import verified
    from environment.problem import tell

    tell(verified())


if __name__ == "__main__":
    os.umask(0o022)
    {"build": build, "wheels": wheels, "verify": verify}[sys.argv[1]]()
