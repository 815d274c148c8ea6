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
    from collections.abc import Callable
    from typing import Any

    from check.requests import Action


def to_reporting(answer: Callable[[Any, Any], object]) -> Action:
    """Handles a request that runs nothing of the project: its answer is the report."""

    def act(payload: Any, data: bytes, report: int) -> None:
        said = json.dumps(answer(payload, json.loads(data)))
        with os.fdopen(report, "wb") as file:
            file.write(said.encode())
        os._exit(0)

    return act


ACTIONS: dict[str, Action] = {
    "judge": to_reporting(judgement.answer),
    "lines": to_reporting(shown_lines.lines),
    "unchanged": to_reporting(same.unchanged),
    "staged": to_reporting(facts.answer),
    "ruff_rules": to_reporting(ruff.rules),
    "older": to_reporting(ruff.older),
    "differing": to_reporting(same.differing),
    "pytest": test_run.run,
    "suite": suite.run,
    "touched": to_reporting(reach.touched),
    "bodies": to_reporting(bodies.bodies),
}
