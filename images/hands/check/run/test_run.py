"""One run of pytest over given files, with the assertions of staged tests counted."""

from __future__ import annotations

import json
import os
import sys
from os import write

from check.counter.counter import Counter
from check.project import left_out_plugins, opened_files, options, plugins
from check.project.installed_plugins import is_served
from check.run import explained, tests_first
from check.run.recorder import Recorder
from check.run.session import ARGUMENTS, blend_in, reported, with_canary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from check.wire.shapes import PytestInput, PytestPayload


def run(payload: PytestPayload, data: bytes, report: int) -> None:
    os.chdir(options.WORKSPACE)
    asked = options.ProjectOptions(payload["files"], is_served)
    sys.path = options.TreeBehind(sys.path, asked.paths())
    tests_first.install()
    files = with_canary(payload["files"], payload["canary"])
    counter = counter_for(payload, data, asked, lambda mark: write(report, mark))
    recorder = Recorder(files, payload["canary"]["id"], asked, counter)
    if payload["watch"]:
        recorder.opened = opened_files.watch(files)
    explained.once_for_each_file()
    plugins.serve(recorder.ready, recorder.collection.note)
    blend_in(payload["files"])
    arguments = [*ARGUMENTS, *left_out_plugins.refusals(), *asked.arguments(), *files]
    reported(recorder, arguments, (report, payload["nonce"]))


def counter_for(
    payload: PytestPayload, data: bytes, asked: options.ProjectOptions, mark: Callable[[bytes], object]
) -> Counter | None:
    """None if no staged sources are given."""
    given: PytestInput = json.loads(data) if data else {"sources": {}}
    sources = given["sources"]
    if not sources:
        return None
    canary = payload["canary"]
    staged = {**sources, canary["path"]: canary["source"]}
    falsify, ground, mode = payload.pop("falsify", {}), payload.pop("ground", []), payload.pop("mode", "")
    counter = Counter(staged, falsify, read=ground, roots=asked.paths(), mark=mark, mode=mode, canary=canary["path"])
    counter.install()
    return counter
