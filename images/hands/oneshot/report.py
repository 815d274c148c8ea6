"""The report of a one-shot check, and how a check of it that failed or could not run is put into words."""

from __future__ import annotations

import json
import os
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Check(TypedDict):
        name: str
        passed: bool
        reason: str | None
        ms: int

    class FailedCheck(Check):
        output: str


OUTPUT_SHOWN = 8_000
GRACE = 2.0
PASSED, FAILED, COULD_NOT_RUN = 0, 1, 2


class CannotRun(Exception):
    pass


class Report:
    """Printed once: by the main thread, or by the watch if that one is held up."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.doing: str | None = None
        self.checks: list[Check] = []
        self.once = threading.Lock()

    def give(self, problem: str | None = None) -> int:
        """Returns the exit status."""
        if not self.once.acquire(blocking=False):
            time.sleep(GRACE)  # the other one is saying it, and then ends the process
            os._exit(COULD_NOT_RUN)
        passed = problem is None and len(self.checks) == 2 and all(check["passed"] for check in self.checks)
        report = {"passed": passed, "problem": problem, "checks": self.checks, "ms": since(self.started)}
        print(json.dumps(report, indent=2), flush=True)
        return COULD_NOT_RUN if problem is not None else PASSED if passed else FAILED

    def too_late(self) -> int:
        if self.doing is None:
            return self.give("the repository could not be copied in time; raise TILTH_CHECK_TIMEOUT_SECONDS")
        self.checks = [*self.checks, failed(self.doing, "timeout", self.started)]
        return self.give()


def failed(name: str, reason: str, started: float, output: str = "") -> FailedCheck:
    return {"name": name, "passed": False, "reason": reason, "output": output, "ms": since(started)}


def text_of(output: bytes) -> str:
    text = output.decode("utf-8", "replace")
    if len(text) <= OUTPUT_SHOWN:
        return text
    half = OUTPUT_SHOWN // 2
    return f"{text[:half]}\n… {len(text) - OUTPUT_SHOWN} characters left out …\n{text[-half:]}"


def since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
