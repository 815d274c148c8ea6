"""The operation `grep`: ripgrep over the worktree, beside a command or not."""

from __future__ import annotations

import os
import time

from resident.calls import Call, Refusal
from resident.commands import TRUSTED_ENV, Command
from resident.paths import WORKSPACE, Withheld, printable
from resident.pipes import SIDE_OUTPUT, Bounded, Taker
from resident.search_paths import workspace_pattern
from resident.sweep import Sweeper

RG = "/usr/bin/rg"
SEARCH_SECONDS = 20.0
LINE_SHOWN = 500

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from resident.wire import GrepArgs, GrepReply


class Names(Taker):
    """Takes the output of `rg --files --null`."""

    more = False

    def __init__(self, withheld: Withheld) -> None:
        self.withheld = withheld
        self.buffer = b""

    def add(self, data: bytes) -> None:
        *names, self.buffer = (self.buffer + data).split(b"\0")
        for name in names:
            self.withheld.holds(printable(name.removeprefix(b"./")))


class Matches(Taker):
    """Takes the output of `rg --null` up to a limit: `path NUL line:text`."""

    def __init__(self, limit: int, withheld: Withheld) -> None:
        self.limit = limit
        self.withheld = withheld
        self.buffer = bytearray()
        self.path = b""
        self.lines: list[str] = []
        self.more = False

    def add(self, data: bytes) -> None:
        if not self.more:
            self.buffer += data
            self.parse()

    def parse(self) -> None:
        while True:
            nul = self.buffer.find(b"\0")
            end = self.buffer.find(b"\n", nul + 1)
            if nul < 0 or end < 0:
                return
            self.path = self.without_warning(bytes(self.buffer[:nul]))
            path = printable(self.path.removeprefix(b"./"))
            if not self.withheld.holds(path):
                if len(self.lines) == self.limit:
                    self.more = True
                    return
                number, _, text = bytes(self.buffer[nul + 1 : end]).partition(b":")
                shown = text.rstrip(b"\r").decode("utf-8", "replace")
                self.lines.append(f"{path}:{number.decode()}: {shown}")
            del self.buffer[: end + 1]

    def without_warning(self, path: bytes) -> bytes:
        """rg tells on standard output that it left a file because it turned out to be binary."""
        if path.startswith(self.path + b": WARNING: stopped searching binary file"):
            return path.partition(b"\n")[2]
        return path


def path_globs(path_glob: str | None) -> list[str]:
    """A plain name may be a folder, and one that ends in a slash is one: then what is below it is meant. The workspace
    itself is `*`, which matches everything."""
    if path_glob is None:
        return []
    if path_glob.startswith("!"):
        return ["!" + workspace_pattern(path_glob[1:], "path_glob")]
    text = workspace_pattern(path_glob, "path_glob")
    if path_glob.endswith("/") and text != "*":
        return [text + "/**"]
    return [text] if any(c in text for c in "*?[{") else [text, text + "/**"]


class TextSearch:
    def __init__(self, sweeper: Sweeper) -> None:
        self.sweeper = sweeper

    async def grep(self, call: Call, args: GrepArgs) -> GrepReply:
        pattern, limit = args["pattern"], args["limit"]
        if not pattern or "\0" in pattern:
            raise Refusal("tool", "The pattern is empty or holds a NUL byte.")
        where = [RG, "--no-config", "--no-messages", "--hidden", "--no-ignore", "--no-follow", "--null"]
        where += [f"--glob={text}" for text in path_globs(args["path_glob"])]
        where += [f"--glob=!{name}/" for name in args["skip"]]
        where += ["--glob=!.git"]
        argv = [*where, "--sort=path", "--line-number", "--no-heading", "--with-filename", "--color=never"]
        argv += [f"--max-columns={LINE_SHOWN}", "--max-columns-preview", f"--max-count={limit + 1}"]
        withheld = Withheld(args["withhold"])
        if withheld.like is not None:
            # whether it matches or not: the reply on a file that is not shown must not depend on its content
            await self.search([*where, "--files", "--", "./"], lambda: Names(withheld))
        matches, problem = await self.search([*argv, "-e", pattern, "--", "./"], lambda: Matches(limit, withheld))
        if problem and not matches.lines:
            raise Refusal("tool", problem)
        return {"lines": matches.lines, "truncated": matches.more, "withheld": withheld.reply()}

    async def search(self, argv: list[str], taker: Callable[[], Any]) -> tuple[Any, str]:
        for _ in range(3):
            found, problem, ended_itself = await self.search_once(argv, taker())
            if ended_itself:
                return found, problem
            # killed beside a command that was swept; it changes nothing, so it can be asked again
        raise Refusal("tool", "The search was killed by something in the container.")

    async def search_once(self, argv: list[str], matches: Any) -> tuple[Any, str, bool]:
        err, deadline = Bounded(SIDE_OUTPUT, 0), time.monotonic() + SEARCH_SECONDS
        processes = self.sweeper.processes
        command = Command(self.sweeper, matches, err)
        child = command.start(argv, TRUSTED_ENV, os.fsdecode(WORKSPACE))[0]
        processes.spare(child)
        try:
            while child.status is None and not matches.more:
                if time.monotonic() >= deadline:
                    raise Refusal("tool", f"The search took longer than {SEARCH_SECONDS:g} s; narrow it.")
                await command.outputs.pump(deadline)
            ended_itself = matches.more or child.ending()[1] is None
            await command.outputs.drain()
        finally:
            await processes.kill_one(child)
            command.outputs.close()
        failed = not matches.more and child.ending()[0] == 2
        return matches, err.text().strip() if failed else "", ended_itself
