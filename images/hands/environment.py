"""Makes the environment of a project from its dependency files (build), makes wheels of what may be built from source for
it (wheels), or says whether an environment is still what was made (verify). Reads JSON on stdin, writes lines of JSON."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

FULL = (28, 122)  # ENOSPC, EDQUOT


def build():
    from env_build import build as built

    answered(built)


def wheels():
    from env_build import wheels as made

    answered(made)


def answered(work):
    from env_problem import Problem, tell

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


def verify():
    from env_manifest import verified
    from env_problem import tell

    tell(verified())


if __name__ == "__main__":
    os.umask(0o022)
    {"build": build, "wheels": wheels, "verify": verify}[sys.argv[1]]()
