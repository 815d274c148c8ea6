"""Judges a submitted tree: guards the files that decide how it is judged, and lists the tests that have to turn up.
Compares the last accepted tree with the one submitted, and runs nothing of either."""

from __future__ import annotations

import gc
import sys

from check.judge.judge import Judge
from check.scan.scan import findings
from check.staged.expected import expected_of
from check.tree.loaded import Loaded, Since
from check.tree.text import Text
from check.tree.trees import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NotRequired, TypedDict

    from check.judge.comparison import ReportedChange
    from check.staged.module_tests import ExpectedTest

    class JudgePayload(TypedDict):
        repo: str
        # trees: the last accepted one, the submitted one and that of the session's base
        last: str
        tree: str
        base: NotRequired[str]

    class StagedTest(TypedDict):
        path: str
        source: str
        # whether its tests have to turn up
        judging: bool

    class JudgeInput(TypedDict):
        staged: list[StagedTest]
        # the task's own words, and those of the tasks that were accepted since the base
        text: str
        accepted: NotRequired[list[str]]
        # files of data that the tests read
        opened: NotRequired[list[str]]

    class Judgement(TypedDict):
        expected: list[ExpectedTest]
        changes: list[ReportedChange]
        notes: list[str]
        findings: Sequence[object]


MOST_CHANGES = 200
LATE_COLLECTION = 200_000
DEEPEST = 7_000


def answer(payload: JudgePayload, given: JudgeInput) -> Judgement:
    gc.set_threshold(LATE_COLLECTION)  # the process ends soon, and the memory of its syntax trees with it
    sys.setrecursionlimit(DEEPEST)  # enough to walk whatever Python itself would compile
    repository = Repository(payload["repo"])
    last, tree = repository.tree(payload["last"]), repository.tree(payload["tree"])
    text = Text(given["text"], {*last.entries, *tree.entries})
    staged = {test["path"]: test["source"].encode() for test in given["staged"]}
    judge = Judge(last, tree, staged, text)
    judge.compare()
    since = Since(payload.get("base", last.oid), [Text(said, text.paths) for said in given.get("accepted", [])])
    Loaded(judge, since).compare(given.get("opened", []))
    expected = [one for test in given["staged"] if test["judging"] for one in expected_of(test["path"], test["source"])]
    return {
        "expected": expected,
        "changes": judge.changes[:MOST_CHANGES],
        "notes": judge.notes[:MOST_CHANGES],
        "findings": findings(last, tree, judge.differing, given["staged"], text, judge.plugins),
    }
