"""Runs ruff over the copy, by the project's configuration or by the pinned rules."""

from __future__ import annotations

import json
import os
import re
import time

from oneshot.program import OUTPUT_READ, WORKSPACE, run
from oneshot.report import CannotRun, failed, since, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from oneshot.report import Check

    class Finding(TypedDict):
        path: str
        line: int
        rule: str | None
        message: str

    class RuffCheck(Check):
        findings: list[Finding]


RUFF = "/opt/tilth/venv/bin/ruff"
ARGUMENTS = ["check", "--no-fix", "--no-fix-only", "--no-cache", "--quiet", "--output-format=json"]
PINNED_RULES = ["--isolated", "--select", "E4,E7,E9,F"]


def run_ruff(deadline: float) -> Check:
    rules = [] if has_configuration() else PINNED_RULES
    started = time.monotonic()
    done = run([RUFF, *ARGUMENTS, *rules, "."], deadline)
    if done is None:
        return failed("ruff", "timeout", started)
    if done.returncode not in (0, 1) or len(done.stdout) == OUTPUT_READ:
        raise CannotRun(f"ruff could not run: {text_of(done.stderr).strip() or 'it finds more than can be read'}")
    findings: list[Finding] = [
        {
            "path": os.path.relpath(found["filename"], WORKSPACE),
            "line": found["location"]["row"],
            "rule": found["code"],
            "message": found["message"],
        }
        for found in json.loads(done.stdout)
    ]
    check: RuffCheck = {
        "name": "ruff",
        "passed": done.returncode == 0,
        "reason": None,
        "findings": findings,
        "ms": since(started),
    }
    return check


def has_configuration() -> bool:
    if any(os.path.exists(os.path.join(WORKSPACE, name)) for name in ("ruff.toml", ".ruff.toml")):
        return True
    try:
        with open(os.path.join(WORKSPACE, "pyproject.toml"), encoding="utf-8") as file:
            return re.search(r"^\s*\[tool\.ruff[.\]]", file.read(), re.MULTILINE) is not None
    except (OSError, UnicodeDecodeError):
        return False
