"""The requests that the zygote knows, and which module answers each."""

from __future__ import annotations

import json
import os

from check.judge import judgement, ruff
from check.run import test_run
from check.staged import facts
from check.suite import bodies, reach, suite
from check.tree import same, shown_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from check.requests import Action
    from check.wire.shapes import Answers, Runs


def to_reporting(answer: Callable[[Any, Any], object]) -> Action:
    """Handles a request that runs nothing of the project: its answer is the report."""

    def act(payload: Any, data: bytes, report: int) -> None:
        said = json.dumps(answer(payload, json.loads(data)))
        with os.fdopen(report, "wb") as file:
            file.write(said.encode())
        os._exit(0)

    return act


def by_name(answers: Mapping[str, Any], runs: Mapping[str, Any]) -> dict[str, Action]:
    return {**{name: to_reporting(answer) for name, answer in answers.items()}, **runs}


# requests that run nothing of the project
ANSWERS: Answers = {
    "judge": judgement.answer,
    "lines": shown_lines.lines,
    "unchanged": same.unchanged,
    "staged": facts.answer,
    "ruff_rules": ruff.rules,
    "older": ruff.older,
    "differing": same.differing,
    "touched": reach.touched,
    "bodies": bodies.bodies,
}
RUNS: Runs = {"pytest": test_run.run, "suite": suite.run}
ACTIONS = by_name(ANSWERS, RUNS)
