"""Runs the project's own tests, collected as its configuration says or file by file, within a time of their own. Tells
which tests there was no time for, and how far the run is."""

from __future__ import annotations

import json
import os
import sys
from os import write

from check.project import left_out_plugins, options, plugins
from check.project.installed_plugins import is_served
from check.run import explained, tests_first
from check.run.session import ARGUMENTS, blend_in, reported, with_canary
from check.suite.clock import Clock
from check.suite.recorder import SuiteRecorder
from check.suite.sources import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from check.wire.shapes import SuiteInput, SuiteLine, SuitePayload

OWN_MODE = "--import-mode"


def run(payload: SuitePayload, data: bytes, report: int) -> None:
    given: SuiteInput = json.loads(data)
    files, canary = given["files"], payload["canary"]
    os.chdir(options.WORKSPACE)
    asked = options.ProjectOptions(files or [""], is_served)
    sys.path = options.TreeBehind(sys.path, asked.paths())
    tests_first.install()
    beside = with_canary(files, canary)
    placed = beside if files else []
    clock, sources = Clock(payload["seconds"], canary["id"]), Sources(files)
    recorder = SuiteRecorder(
        placed,
        canary,
        asked,
        clock=clock,
        sources=sources,
        left_out=given["left_out"],
        tell=lambda text: write(report, text.encode()),
    )
    explained.once_for_each_file()
    plugins.serve(recorder.ready, recorder.collection.note)
    blend_in(files)
    clock.start()
    first: SuiteLine = {
        "nonce": payload["nonce"],
        "not_run": clock.late,
        "broken_off": clock.broken_off,
        "in_code": recorder.in_code,
        "rewritten": recorder.rewritten,
    }
    reported(recorder, arguments(asked, placed), (report, payload["nonce"]), [clock], first)


def arguments(asked: options.ProjectOptions, files: Sequence[str]) -> list[str]:
    """Without files pytest looks where the project says. The project may choose the import mode as well."""
    own = asked.arguments()
    says_mode = any(OWN_MODE in word for word in own)
    kept = [word for word in ARGUMENTS if not (says_mode and word.startswith(OWN_MODE))]
    return [*kept, *left_out_plugins.refusals(), *own, *files]
