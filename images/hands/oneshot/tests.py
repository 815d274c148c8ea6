"""Runs pytest over the copy, in a process of its own."""

from __future__ import annotations

import os
import time

from oneshot.program import run
from oneshot.pytest_report import PytestReport
from oneshot.report import CannotRun, failed, since, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from oneshot.pytest_report import Seen, Test
    from oneshot.report import Check

    class PytestCheck(Check):
        tests: list[Test]
        dropped_options: list[str]
        output: str


PYTHON = "/opt/tilth/venv/bin/python"
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pytest_process.py")


def run_pytest(deadline: float) -> Check:
    started = time.monotonic()
    report = PytestReport()
    done = run([PYTHON, "-I", PROGRAM], deadline, report)
    if done is None:
        return failed("pytest", "timeout", started)
    seen = report.read()
    if seen is None or (seen["exit"] or 0) != done.returncode:
        return failed("pytest", "check_died", started, output=text_of(done.stdout))
    return judged(seen, done, started)


def judged(seen: Seen, done: CompletedProcess[bytes], started: float) -> Check:
    output = text_of(done.stdout)
    if seen["unserved"]:
        raise CannotRun(f"pytest options that nothing in the image serves: {', '.join(seen['unserved'])}")
    outcomes = [test["outcome"] for test in seen["tests"]]
    if seen["exit"] == 5:
        raise CannotRun("pytest found no tests")
    if seen["exit"] not in (0, 1, 2):
        raise CannotRun(f"pytest could not run: {output.strip()}")
    if seen["exit"] == 0 and seen["finished"] and "passed" not in outcomes:
        raise CannotRun(f"no test passed or failed: {len(outcomes)} were skipped or expected to fail")
    passed = seen["exit"] == 0 and seen["finished"] and "passed" in outcomes
    check: PytestCheck = {
        "name": "pytest",
        "passed": passed,
        "reason": None if passed else "test_failed" if seen["finished"] else "ended_early",
        "tests": seen["tests"],
        "dropped_options": seen["dropped"],
        "output": "" if passed else output,
        "ms": since(started),
    }
    return check
