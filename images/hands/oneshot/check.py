"""One check of a repository mounted read-only at /source, for CI without Node: ruff and pytest over a copy of it.

The report is the only thing on stdout, as JSON. Exit 0: passed, 1: failed, 2: could not run.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
import time

from oneshot.report import GRACE, CannotRun, Report
from oneshot.ruff import run_ruff
from oneshot.source import copy_source
from oneshot.tests import run_pytest

PR_SET_DUMPABLE = 4


def main() -> int:
    # the tests have our uid: they must reach neither our memory nor our report
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    report = Report()
    try:
        deadline = time.monotonic() + time_limit()
        threading.Thread(target=end_at, args=(deadline + GRACE, report), daemon=True).start()
        copy_source()
        report.doing = "ruff"
        report.checks.append(run_ruff(deadline))
        report.doing = "pytest"
        report.checks.append(run_pytest(deadline))
        return report.give()
    except CannotRun as problem:
        return report.give(str(problem))


def end_at(deadline: float, report: Report) -> None:
    """Ends a check that none of its own deadlines ended. The container ends with this process, and with it all that
    runs there."""
    time.sleep(max(0.0, deadline - time.monotonic()))
    os._exit(report.too_late())


def time_limit() -> int:
    """Limits the whole check, from the first byte that is copied to the report."""
    given = os.environ.get("TILTH_CHECK_TIMEOUT_SECONDS") or "180"
    if not re.fullmatch(r"[1-9]\d{0,5}", given):
        raise CannotRun(f"TILTH_CHECK_TIMEOUT_SECONDS must be a number of seconds, and is {given!r}")
    return int(given)
