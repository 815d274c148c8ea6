"""Runs a program over the copy until a deadline."""

from __future__ import annotations

import os
import subprocess
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from oneshot.pytest_report import PytestReport

WORKSPACE = "/workspace"
OUTPUT_READ = 64 * 1024 * 1024
POLL = 0.02


def run(
    command: list[str], deadline: float, report: PytestReport | None = None
) -> subprocess.CompletedProcess[bytes] | None:
    """None when it took too long. Nothing that it started lives on: the container ends with this program."""
    # to files: a process that outlives the command holds a pipe open, and would be waited for
    with open("/tmp/out", "w+b") as out, open("/tmp/err", "w+b") as err:
        child = subprocess.Popen(
            command,
            cwd=WORKSPACE,
            env=environment(),
            stdin=subprocess.DEVNULL if report is None else report.theirs.fileno(),
            stdout=out,
            stderr=err if report is None else out,
        )
        if report is not None:
            report.hand_over()
        while child.poll() is None:
            if time.monotonic() >= deadline:
                child.kill()
                child.wait()
                return None
            if report is not None:
                report.take(POLL)
            else:
                time.sleep(POLL)
        return subprocess.CompletedProcess(command, child.returncode, ends_of(out), ends_of(err))


def environment() -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": "/home/tilth",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def ends_of(file: BinaryIO) -> bytes:
    """The output of a program, as much of it as is read."""
    file.seek(0)
    return file.read(OUTPUT_READ)
