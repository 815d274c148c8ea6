"""The outcome of each test, from all that was reported of it and raised in it."""

from __future__ import annotations

import unittest

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from check.wire.shapes import TestOutcome, TestResult

TEXT_SHOWN = 6000
RESULTS_SHOWN = 200_000
NO_FAILURES = (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)


class Outcomes:
    def __init__(self) -> None:
        # by test, what each of its phases came to
        self.phases: dict[str, list[tuple[str, str]]] = {}
        # tests and phases in which something was raised, whatever became of it
        self.raised: set[tuple[str, str]] = set()
        self.called: set[str] = set()
        self.texts: dict[str, str] = {}

    def note_raised(self, name: str, when: str, found: pytest.ExceptionInfo | None) -> BaseException | None:
        """Returns what was raised, if that fails the test."""
        if found is None or isinstance(found.value, NO_FAILURES):
            return None
        self.raised.add((name, when))
        return found.value

    def note(self, report: pytest.TestReport) -> None:
        name, when = str(report.nodeid), report.when
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "xfailed" if report.skipped else "xpassed"
        elif report.passed and (name, when) in self.raised:
            outcome = "failed"
            self.texts.setdefault(name, "The test raised; something turned its failure into a pass.")
        self.phases.setdefault(name, []).append((when, outcome))
        if outcome != "passed" and name not in self.texts:
            self.texts[name] = (report.longreprtext or str(getattr(report, "wasxfail", "")))[-TEXT_SHOWN:]

    def results(self) -> list[TestResult]:
        names = [name for name in self.phases][:RESULTS_SHOWN]
        return [{"id": name, "outcome": self.of(name), "text": self.texts.get(name, "")} for name in names]

    def of(self, name: str) -> TestOutcome:
        """A test passed only if it was set up, called and torn down, and each of these passed."""
        phases = self.phases[name]
        outcomes = {outcome for _, outcome in phases}
        if ("call", "failed") in phases:
            return "failed"
        if "failed" in outcomes:
            return "error"
        unusual: tuple[TestOutcome, ...] = ("xfailed", "xpassed", "skipped")
        for outcome in unusual:
            if outcome in outcomes:
                return outcome
        whole = name in self.called and {when for when, _ in phases} == {"setup", "call", "teardown"}
        return "passed" if whole else "error"
