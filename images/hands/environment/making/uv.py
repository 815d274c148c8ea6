"""Runs uv with nothing but what is given here: no configuration, no environment, no credentials of anybody."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading

from environment.places import PYTHON, UV
from environment.problem import Problem, listed, refused, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO

    from environment.wire import BuildOrder

MOST_LINES = 40
LONGEST_LINE = 400
KEPT = 200_000
LONGEST_READ = 64 * 1024  # a longer line comes in parts
MEMORY_EVENTS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PROGRESS = re.compile(r"\s*(?:Downloading|Building|Built) ")
NO_WHEEL = re.compile(r"Wheels are required for `([A-Za-z0-9._-]+)`")
# uv failed, but there may be a solution: it may work another time.
UNREACHABLE = re.compile(
    r"Failed to fetch|error sending request|Request failed|Failed to download|No space left|os error 28"
    r"|Disk quota exceeded|timed out|Connection (?:refused|reset)|HTTP status (?:client|server) error|tcp connect"
)
# A wheel that is not what it says, or that is made to be more than a package.
WRONG_WHEEL = re.compile(
    r"metadata (?:name|version) .* does not match|reserved name|outside of|invalid wheel", re.IGNORECASE
)
NOISE = re.compile(r"\s*(?:warning: |Using |Resolved |Prepared |Audited |hint: )")
UNSOLVABLE = re.compile(r"No solution found|unsatisfiable|Hash mismatch|hash mismatch")


class Uv:
    def __init__(self, scratch: str, cache: str, order: BuildOrder, builds: bool = False) -> None:
        self.scratch, self.cache, self.order, self.builds = scratch, cache, order, builds
        self.home = f"{scratch}/home"
        os.makedirs(self.home, exist_ok=True)

    def environment(self) -> dict[str, str]:
        return {
            "HOME": self.home,
            "PATH": f"{os.path.dirname(UV)}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TMPDIR": self.scratch,
            "NETRC": "/dev/null",
            "UV_CACHE_DIR": self.cache,
            "UV_NO_CONFIG": "1",
            "UV_NO_PROGRESS": "1",
            "UV_PYTHON_DOWNLOADS": "never",
            "UV_HTTP_TIMEOUT": "120",
            "UV_KEYRING_PROVIDER": "disabled",
            "UV_HTTP_RETRIES": "1",  # the index gateway on the host has tried again already
        }

    def index(self) -> list[str]:
        words = ["--default-index", self.order["index_url"]]
        for url in self.order["extra_index_urls"]:
            words += ["--index", url]
        return [*words, "--index-strategy", "first-index"]

    def wheels_only(self) -> list[str]:
        """Only what was named for it is built, and only where building is allowed."""
        words = ["--only-binary", ":all:"]
        for name in self.order["from_source"] if self.builds else ():
            words += ["--no-binary", name]
        return words

    def file(self, name: str, lines: Iterable[str]) -> str:
        path = f"{self.scratch}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        return path

    def run(self, *words: str) -> str:
        """Returns what uv wrote to stdout, and tells meanwhile what it is doing."""
        kills_before = kills_for_memory()
        started = subprocess.Popen(
            [UV, *words, "--no-config", "--no-progress", "--color", "never"],
            env=self.environment(),
            cwd=self.scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert started.stdout is not None and started.stderr is not None
        said: list[str] = []
        listening = threading.Thread(target=self.listen, args=(started.stderr, said))
        listening.start()
        output = started.stdout.read().decode("utf-8", "replace")
        listening.join()
        if started.wait() == -signal.SIGXFSZ:
            raise refused("A package holds a file that is larger than any may be here.", "Leave that package out.")
        if started.returncode == -signal.SIGKILL:
            raise killed(kills_before)
        if started.returncode != 0:
            raise self.problem("".join(said) or f"uv ended with {started.returncode}.")
        return output

    def listen(self, stream: IO[bytes], said: list[str]) -> None:
        kept = 0
        while line := stream.readline(LONGEST_READ):
            text = line.decode("utf-8", "replace")
            if PROGRESS.match(text):
                told = self.readable(text).strip()
                say(told[:1].lower() + told[1:])
            elif kept < KEPT:
                kept += len(text)
                said.append(text)

    def problem(self, said: str) -> Problem:
        text = self.readable(said)
        if names := sorted(set(NO_WHEEL.findall(said))):
            causes = [line.strip().removeprefix("cause: ") for line in text.splitlines() if "cause: " in line]
            return refused(
                "\n".join([f"There is no wheel that fits for {listed(names)}, and only wheels are taken.", *causes]),
                "To let it be built from source, which runs its code in the build container, set"
                f" TILTH_BUILD_FROM_SOURCE={','.join([*self.order['from_source'], *names])}",
            )
        if WRONG_WHEEL.search(text):
            return refused(text, "Leave that package out, or ask for another release of it.")
        if UNREACHABLE.search(text) and not UNSOLVABLE.search(text):
            return Problem("failed", text, "Look at the package index and the disk, and try again.")
        return Problem(
            "unresolved",
            text,
            "Change what the dependency files ask for, or name the ones to take in TILTH_DEPENDENCIES (a comma list).",
        )

    def readable(self, text: str) -> str:
        """uv's words, without those that mean nothing outside of this container."""
        text = ANSI.sub("", text)
        for url in sorted([self.order["index_url"], *self.order["extra_index_urls"]], key=len, reverse=True):
            text = text.replace(f"{url.rstrip('/')}/", "the index: ").replace(url.rstrip("/"), "the index")
        text = re.sub(r"https?://127\.0\.0\.1:\d+\S*", "the index", text)
        for path, word in ((self.scratch, "."), (self.cache, "cache"), (PYTHON, "python")):
            text = text.replace(path, word)
        text = text.replace("-r ./in.txt", "the dependency files").replace("./in.txt", "the dependency files")
        lines = [line.rstrip()[:LONGEST_LINE] for line in text.splitlines() if line.strip() and not NOISE.match(line)]
        lines = ["".join(letter for letter in line if letter.isprintable()) for line in lines]
        rest = len(lines) - MOST_LINES + 1
        return "\n".join(lines if rest <= 1 else [*lines[: MOST_LINES - 1], f"… and {rest} lines more"])


def kills_for_memory() -> int | None:
    """The number of times this container went over its own memory; None if the engine does not show it."""
    for path in MEMORY_EVENTS:
        try:
            with open(path, encoding="ascii") as file:
                words = file.read().split()
            return int(words[words.index("oom_kill") + 1])
        except (OSError, ValueError, IndexError):
            continue
    return None


def killed(kills_before: int | None) -> Problem:
    """Explains a kill: a package went over the container's memory, or something else did the killing."""
    kills = kills_for_memory()
    if kills_before is not None and kills is not None and kills > kills_before:
        return refused("A package takes more memory to read than there is.", "Leave that package out.")
    return Problem("failed", "uv was killed.", "Look at the memory that the engine has, and try again.")
