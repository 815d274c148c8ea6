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

    from check.wire.shapes import JudgeInput, JudgePayload, JudgeReport

MOST_CHANGES = 200
LATE_COLLECTION = 200_000
DEEPEST = 7_000


def answer(payload: JudgePayload, given: JudgeInput) -> JudgeReport:
    gc.set_threshold(LATE_COLLECTION)  # the process ends soon, and the memory of its syntax trees with it
    sys.setrecursionlimit(DEEPEST)  # enough to walk whatever Python itself would compile
    repository = Repository(payload["repo"])
    last, tree = repository.tree(payload["last"]), repository.tree(payload["tree"])
    text = Text(given["text"], {*last.entries, *tree.entries})
    staged = {test["path"]: test["source"].encode() for test in given["staged"]}
    judge = Judge(last, tree, staged, text)
    judge.compare()
    since = Since(payload["base"], [Text(said, text.paths) for said in given["accepted"]])
    Loaded(judge, since).compare(given["opened"])
    expected = [one for test in given["staged"] if test["judging"] for one in expected_of(test["path"], test["source"])]
    return {
        "expected": expected,
        "changes": judge.changes[:MOST_CHANGES],
        "notes": judge.notes[:MOST_CHANGES],
        "findings": findings(last, tree, judge.differing, given["staged"], text, judge.plugins),
    }
