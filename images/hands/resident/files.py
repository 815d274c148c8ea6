"""The operations `read`, `write` and `edit`: bytes in and bytes out, and a file's lint after a change."""

from __future__ import annotations

import os
import time

from resident.calls import Call, Refusal
from resident.commands import Command
from resident.frames import Outbox
from resident.paths import WORKSPACE, Withheld, encode, printable
from resident.pipes import SIDE_OUTPUT, Bounded
from resident.sweep import NoTurn, Sweeper, Turn
from resident.workspace import FileWork, Place, Workspace

SCAN_LIMIT = 256 * 1024 * 1024

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resident.wire import EditArgs, Lint, ReadArgs, ReadReply, WriteArgs, WriteReply


class Files:
    def __init__(self, outbox: Outbox, sweeper: Sweeper, workspace: Workspace) -> None:
        self.outbox = outbox
        self.sweeper = sweeper
        self.workspace = workspace

    async def read(self, call: Call, args: ReadArgs) -> ReadReply:
        first, limit = args["offset"] or 1, args["limit"]
        if not isinstance(first, int) or first < 1:
            raise Refusal("tool", "offset is the number of a line, 1 for the first.")
        if limit is not None and (not isinstance(limit, int) or limit < 1):
            raise Refusal("tool", "limit is a number of lines, 1 or more.")
        withheld = Withheld(args["withhold"])
        with self.workspace.existing(args["path"]) as place, FileWork(place.shown):
            if b".git" in place.path.lower().split(b"/"):
                raise Refusal("tool", f"{place.shown}: .git is git's own.")
            if any([withheld.holds(name) for name in place.names()]):
                return {"size": 0, "first_line": 0, "last_line": 0, "truncated": False, "withheld": withheld.reply()}
            fd = place.open(os.O_RDONLY)
            try:
                size = os.fstat(fd).st_size
                block, last, more = read_lines(fd, place.shown, first, limit, args["max_bytes"])
            finally:
                os.close(fd)
        await self.outbox.send_data(call.id, block)
        return {
            "size": size,
            "first_line": first,
            "last_line": last,
            "truncated": more,
            "withheld": withheld.reply(),
        }

    async def write(self, call: Call, args: WriteArgs) -> WriteReply:
        lint = args["lint"]
        data = await call.whole_input()
        async with Turn(self.sweeper, call) if lint else NoTurn():
            with self.workspace.locate(args["path"], make=True) as place, FileWork(place.shown):
                fd = place.open(os.O_WRONLY | (os.O_CREAT | os.O_EXCL if place.found is None else 0))
                try:
                    overwrite(fd, data)
                finally:
                    os.close(fd)
            return await self.written(place, len(data), lint)

    async def edit(self, call: Call, args: EditArgs) -> WriteReply:
        old, new, lint = encode(args["old"]), encode(args["new"]), args["lint"]
        if not old:
            raise Refusal("tool", "old_string is empty; give the text to replace.")
        if old == new:
            raise Refusal("tool", "old_string and new_string are identical.")
        async with Turn(self.sweeper, call) if lint else NoTurn():
            with self.workspace.existing(args["path"]) as place, FileWork(place.shown):
                size = self.spliced(place, old, new, args["max_bytes"])
            return await self.written(place, size, lint)

    def spliced(self, place: Place, old: bytes, new: bytes, max_bytes: int) -> int:
        fd = place.open(os.O_RDWR)
        try:
            size = os.fstat(fd).st_size
            if size > max_bytes:
                raise Refusal("tool", f"{place.shown}: {size} bytes, more than the {max_bytes} an edit takes.")
            data = splice(os.pread(fd, size, 0), old, new, place.shown)
            overwrite(fd, data)
            return len(data)
        finally:
            os.close(fd)

    async def written(self, place: Place, size: int, lint: Lint | None) -> WriteReply:
        said, started = None, time.monotonic()
        if lint and place.path.endswith(b".py"):
            said = await self.lint(lint, os.fsdecode(WORKSPACE + b"/" + place.path))
        ms = 0 if said is None else round((time.monotonic() - started) * 1000)
        return {"bytes": size, "path": printable(place.path), "lint": said, "lint_ms": ms}

    async def lint(self, lint: Lint, path: str) -> str:
        if not os.access(lint["argv"][0], os.X_OK):
            return ""  # a ruff of an environment that this container was not made with
        out = Bounded(SIDE_OUTPUT, SIDE_OUTPUT)
        seconds = lint["timeout_ms"] / 1000
        command = Command(self.sweeper, out, out)
        await command.run([*lint["argv"], path], dict(os.environ), os.fsdecode(WORKSPACE), seconds)
        if command.timed_out:
            return f"{lint['argv'][0]} did not end within {seconds:g} s.\n{out.text()}"
        if command.exit == 0:
            return ""
        return out.text() or f"{lint['argv'][0]} ended with {command.signal or command.exit}."


def read_lines(fd: int, shown: str, first: int, limit: int | None, max_bytes: int) -> tuple[bytes, int, bool]:
    """(bytes, number of their last line, whether the file goes on behind them)"""
    start = line_start(fd, shown, first)
    block = os.pread(fd, max_bytes + 1, start)
    if not block and first > 1:
        raise past_the_end(shown, first, first - 1)
    if len(block) > max_bytes:
        block = whole_characters(block[:max_bytes])
    if limit is not None:
        end = -1
        for _ in range(limit):
            end = block.find(b"\n", end + 1)
            if end < 0:
                break
        block = block if end < 0 else block[: end + 1]
    lines = block.count(b"\n") + (not block.endswith(b"\n") and block != b"")
    return block, first + lines - 1, start + len(block) < os.fstat(fd).st_size


def line_start(fd: int, shown: str, line: int) -> int:
    """The place in the file where line number `line` starts."""
    position, number, chunk = 0, 1, b""
    while number < line:
        before, chunk = chunk, os.pread(fd, 256 * 1024, position)
        if not chunk:
            raise past_the_end(shown, line, number - (before == b"" or before.endswith(b"\n")))
        if position > SCAN_LIMIT:
            raise Refusal("tool", f"{shown}: line {line} is too far into the file; search it with grep.")
        newlines = chunk.count(b"\n")
        if number + newlines < line:
            number += newlines
            position += len(chunk)
            continue
        end = -1
        for _ in range(line - number):
            end = chunk.find(b"\n", end + 1)
        return position + end + 1
    return position


def past_the_end(shown: str, line: int, lines: int) -> Refusal:
    return Refusal("tool", f"{shown}: offset {line} is past the end; the file has {lines} lines.")


def whole_characters(block: bytes) -> bytes:
    """Without the UTF-8 character that the cut tore."""
    for back in range(1, min(4, len(block)) + 1):
        byte = block[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return block[:-back] if back < length else block
    return block


def overwrite(fd: int, data: bytes) -> None:
    """In place, because a rename would break hard links and lose the mode; never shorter than either on the way."""
    position = 0
    view = memoryview(data)
    while position < len(data):
        position += os.pwrite(fd, view[position:], position)
    os.ftruncate(fd, len(data))


def splice(data: bytes, old: bytes, new: bytes, shown: str) -> bytes:
    at = data.find(old)
    if at < 0:
        returns = old.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        hint = "; with \\r\\n at the end of its lines it would be" if returns in data else ""
        raise Refusal("tool", f"{shown}: old_string was not found (0 matches){hint}.")
    if data.find(old, at + 1) >= 0:
        count = max(2, data.count(old))
        raise Refusal("tool", f"{shown}: old_string has {count} matches; add context until it has exactly one.")
    return data[:at] + new + data[at + len(old) :]
