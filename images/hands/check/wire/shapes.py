"""Types of requests to the process that checks fork from, and of their reports.

Written from `runner/hands/pipe/wire/` by `npm run wire`; do not edit. It is read by type checkers alone: when the
programs run, nothing imports it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NotRequired, TypedDict

ZygoteReady = TypedDict("ZygoteReady", {"ready": Literal[True]})
ZygoteHeader = TypedDict("ZygoteHeader", {"payload": object, "input_len": int})
ZygoteEnd = TypedDict("ZygoteEnd", {"exit": int | None, "signal": int | None, "ms": float})
TestOutcome = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed"]
TestResult = TypedDict("TestResult", {"id": str, "outcome": TestOutcome, "text": str})
CollectError = TypedDict("CollectError", {"path": str, "reason": str, "text": str})
InstalledIn = Literal["environment", "image"]
GroundKind = Literal["replaced", "planted", "rewritten", "rewritten_by_tests"]
GroundChange = TypedDict("GroundChange", {"kind": GroundKind, "what": str, "where": str})
BetrayalKind = Literal["looked_up", "hangs_on_tests", "hangs_on_caller", "agrees_with_all", "takes_everything", "counted_off"]
Betrayal = TypedDict("Betrayal", {"site": str, "test": str, "why": BetrayalKind, "by": list[str]})
Agreement = TypedDict("Agreement", {"site": str, "test": str, "by": list[str]})
RunReport = TypedDict("RunReport", {
    "finished": bool, "results": list[TestResult], "collect_errors": list[CollectError], "missing": list[str],
    "dropped": list[str], "unserved": list[str], "installed_in": InstalledIn, "reached": dict[str, list[str]],
    "opened": list[str], "ground": list[GroundChange], "found": list[Betrayal], "agreed": list[Agreement],
    "given": dict[str, list[str]],
})
SuiteLine = TypedDict("SuiteLine", {
    "nonce": str, "not_run": list[str], "broken_off": list[str], "in_code": list[str], "rewritten": list[str],
})
JudgePayload = TypedDict("JudgePayload", {"repo": str, "last": str, "tree": str, "base": str})
JudgedTest = TypedDict("JudgedTest", {"path": str, "source": str, "judging": bool})
JudgeInput = TypedDict("JudgeInput", {
    "staged": list[JudgedTest], "text": str, "opened": list[str], "accepted": list[str],
})
ExpectedTest = TypedDict("ExpectedTest", {"id": str, "many": bool, "count": NotRequired[int]})
Offence = Literal["changed", "added", "deleted", "shadows", "unreadable_code"]
JudgeFileChange = TypedDict("JudgeFileChange", {
    "path": str, "table": str | None, "what": Offence, "allowed": bool, "remedy": str,
})
FindingKind = Literal["forges", "smells"]
ScanFinding = TypedDict("ScanFinding", {
    "path": str, "line": int, "rule": str, "kind": FindingKind, "why": str, "excused": bool,
})
JudgeReport = TypedDict("JudgeReport", {
    "expected": list[ExpectedTest], "changes": list[JudgeFileChange], "notes": list[str], "findings": list[ScanFinding],
})
LinesPayload = TypedDict("LinesPayload", {"root": str})
LinesReport = TypedDict("LinesReport", {"lines": list[str]})
UnchangedPayload = TypedDict("UnchangedPayload", {"repo": str, "base": str, "tree": str})
Paths = TypedDict("Paths", {"paths": list[str]})
StagedPayload = TypedDict("StagedPayload", {"repo": str, "tree": str | None})
Source = TypedDict("Source", {"path": str, "source": str})
StagedInput = TypedDict("StagedInput", {"files": list[Source]})
Sureness = Literal["itself", "somewhere"]
StagedFunction = TypedDict("StagedFunction", {
    "id": str, "keep_green": str | None, "always_left_out": bool, "left_out_ids": list[str], "asserts": bool,
    "surely_asserts": Sureness | None, "criteria": list[int],
})
AssertionSite = TypedDict("AssertionSite", {"id": str, "test": str | None, "unfair": str | None})
StagedFacts = TypedDict("StagedFacts", {
    "path": str, "problem": str, "tests": list[StagedFunction], "assertions": list[AssertionSite],
})
DeclaredModule = TypedDict("DeclaredModule", {"module": str, "requirement": str})
StagedReport = TypedDict("StagedReport", {"facts": list[StagedFacts], "declared": list[DeclaredModule]})
RuffRulesPayload = TypedDict("RuffRulesPayload", {"repo": str, "base": str})
RuffProgram = TypedDict("RuffProgram", {"program": str, "version": str, "own": bool})
RuffRulesReport = TypedDict("RuffRulesReport", {
    "configured": bool, "selects": bool, "more": list[str], "ignored": list[str], "ruff": RuffProgram,
})
OlderPayload = TypedDict("OlderPayload", {"repo": str, "base": str, "tree": str, "root": str})
ChangedFile = TypedDict("ChangedFile", {"path": str, "hunks": list[list[int]]})
OlderReport = TypedDict("OlderReport", {"same": list[str], "changed": list[ChangedFile]})
DifferingPayload = TypedDict("DifferingPayload", {"repo": str, "root": str, "tree": str, "last": str})
DifferingFile = TypedDict("DifferingFile", {"path": str, "what": Literal["changed", "deleted"], "touched": bool})
DifferingReport = TypedDict("DifferingReport", {"files": list[DifferingFile], "added": list[str]})
TouchedPayload = TypedDict("TouchedPayload", {"repo": str, "tree": str})
TouchedInput = TypedDict("TouchedInput", {"changed": list[str], "files": list[str]})
BodiesPayload = TypedDict("BodiesPayload", {"repo": str})
FileOfTree = TypedDict("FileOfTree", {"tree": str, "path": str})
FileBodies = TypedDict("FileBodies", {"functions": dict[str, str]})
BodiesReport = TypedDict("BodiesReport", {"files": list[FileBodies]})
PytestInput = TypedDict("PytestInput", {"sources": dict[str, str]})
PytestReport = TypedDict("PytestReport", {
    "nonce": str, "exit": int, "finished": bool, "results": list[TestResult], "collect_errors": list[CollectError],
    "missing": list[str], "dropped": list[str], "unserved": list[str], "installed_in": InstalledIn,
    "reached": dict[str, list[str]], "opened": list[str], "ground": list[GroundChange], "found": list[Betrayal],
    "agreed": list[Agreement], "given": dict[str, list[str]],
})
Canary = TypedDict("Canary", {"path": str, "source": str, "id": str})
PytestPayload = TypedDict("PytestPayload", {
    "files": list[str], "canary": Canary, "nonce": str, "watch": bool, "falsify": NotRequired[dict[str, str]],
    "mode": NotRequired[Literal["", "told", "changed", "asked", "reordered", "again"]],
    "ground": NotRequired[list[str]],
})
SuiteInput = TypedDict("SuiteInput", {"files": list[str], "left_out": list[str]})
SuitePayload = TypedDict("SuitePayload", {"canary": Canary, "nonce": str, "seconds": float})
AnyPayload = TypedDict("AnyPayload", {
    "do": Literal["judge", "lines", "unchanged", "staged", "ruff_rules", "older", "differing", "touched", "bodies", "pytest", "suite"],
})
Answers = TypedDict("Answers", {
    "judge": Callable[[JudgePayload, JudgeInput], JudgeReport],
    "lines": Callable[[LinesPayload, list[tuple[str, int]]], LinesReport],
    "unchanged": Callable[[UnchangedPayload, list[str]], Paths],
    "staged": Callable[[StagedPayload, StagedInput], StagedReport],
    "ruff_rules": Callable[[RuffRulesPayload, list[object]], RuffRulesReport],
    "older": Callable[[OlderPayload, list[str]], OlderReport],
    "differing": Callable[[DifferingPayload, list[object]], DifferingReport],
    "touched": Callable[[TouchedPayload, TouchedInput], Paths],
    "bodies": Callable[[BodiesPayload, list[FileOfTree]], BodiesReport],
})
Runs = TypedDict("Runs", {
    "pytest": Callable[[PytestPayload, bytes, int], None], "suite": Callable[[SuitePayload, bytes, int], None],
})
