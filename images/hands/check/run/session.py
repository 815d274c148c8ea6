"""Runs pytest in a process that ends with its report. Everything a proof hangs on is bound before the first line of the
project runs, so that what the project does to modules afterwards does not reach it."""

from __future__ import annotations

import os
import random
import sys
import traceback
import types
from os import _exit, getpid

import pytest

from check.project import left_out_plugins, options
from check.project.ready_config import hand_over
from check.run.sending import json_of, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from check.run.recorder import Recorder
    from check.wire.shapes import Canary, PytestReport, SuiteLine

ARGUMENTS = [
    *["-q", "--no-header", "--color=no", "--tb=short"],
    *["--import-mode=prepend", f"--rootdir={options.WORKSPACE}", "--continue-on-collection-errors"],
    *["-o", "cache_dir=/tmp/.pytest_cache", "-o", "console_output_style=classic"],
]
ENVIRONMENT = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")


def with_canary(files: list[str], canary: Canary) -> list[str]:
    """Puts the canary among the files at random, so that its place does not give it away."""
    with open(os.path.join(options.WORKSPACE, canary["path"]), "x", encoding="utf-8") as file:
        file.write(canary["source"])
    place = random.SystemRandom().randrange(len(files) + 1)
    return [*files[:place], canary["path"], *files[place:]]


def blend_in(files: Sequence[str]) -> None:
    """Makes the process look to a test as it would under a bare pytest."""
    sys.argv = [os.path.join(os.path.dirname(sys.executable), "pytest"), *files]
    sys.modules["__main__"] = types.ModuleType("__main__")
    for name in ENVIRONMENT:
        os.environ.pop(name, None)


def reported(
    recorder: Recorder,
    arguments: list[str],
    to: tuple[int, str],
    beside: Sequence[object] = (),
    first: SuiteLine | None = None,
) -> NoReturn:
    """Runs pytest and does not come back. `to`: the report's descriptor and nonce; `first`: sent in a line of its own
    before the report."""
    report, nonce = to
    pid = getpid()
    code = ended(arguments, recorder, beside)
    if getpid() != pid:
        _exit(70)  # a test forked and came back here
    if recorder.counter:
        recorder.counter.ground.at_end()
    if first is not None:
        write_all(report, b"\n" + json_of(first) + b"\n")
    whole: PytestReport = {**recorder.report(), "nonce": nonce, "exit": code}
    write_all(report, json_of(whole))
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        _exit(code)


def ended(arguments: list[str], recorder: Recorder, beside: Sequence[object]) -> int:
    """pytest's exit status, even if pytest itself fails with a traceback."""
    hand_over()
    try:
        return int(pytest.main(arguments, plugins=[recorder, *beside, *left_out_plugins.stand_ins()]))
    except Exception:
        traceback.print_exc()
        return int(pytest.ExitCode.INTERNAL_ERROR)
