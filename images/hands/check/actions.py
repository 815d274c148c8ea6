"""The requests that the zygote knows, and which module answers each."""

import json
import os

from check.judge import judge, ruff, staged
from check.run import suite, suite_plan, test_run
from check.tree import same, trees


def to_reporting(answer):
    """Handles a request that runs nothing of the project: its answer is the report."""

    def act(payload, data, report):
        said = json.dumps(answer(payload, json.loads(data)))
        with os.fdopen(report, "wb") as file:
            file.write(said.encode())
        os._exit(0)

    return act


ACTIONS = {
    "judge": to_reporting(judge.answer),
    "lines": to_reporting(trees.lines),
    "unchanged": to_reporting(trees.unchanged),
    "staged": to_reporting(staged.answer),
    "ruff_rules": to_reporting(ruff.rules),
    "older": to_reporting(ruff.older),
    "differing": to_reporting(same.differing),
    "pytest": test_run.run,
    "suite": suite.run,
    "touched": to_reporting(suite_plan.touched),
    "bodies": to_reporting(suite_plan.bodies),
}
