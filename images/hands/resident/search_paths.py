"""The operation `glob`: `**`, `*`, `?`, `[a-z]`, `{a,b}` over the worktree, in the order of full paths."""

from __future__ import annotations

import fnmatch
import os
import re
import time

from resident.calls import Call, Refusal
from resident.loop import breathe
from resident.paths import LIST, Withheld, encode, printable
from resident.workspace import Workspace

SEARCH_SECONDS = 20.0
SEARCH_SLICE = 0.01
FOLDERS_DEEP = 200

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from resident.wire import GlobArgs, GlobReply

    NameMatcher = Callable[[str], object]
    State = tuple[int, int]


class Glob:
    """A pattern, met name by name. A state is (alternative, segment): the segment that the next name must match."""

    def __init__(self, pattern: str) -> None:
        self.alternatives = [self.segments(text) for text in alternatives(pattern)]
        self.start = self.closure({(i, 0) for i in range(len(self.alternatives))})

    def segments(self, text: str) -> list[NameMatcher | None]:
        names = [name for name in text.split("/") if name not in ("", ".")]
        names = [name for i, name in enumerate(names) if name != "**" or names[i - 1 : i] != ["**"]]
        if names[-1:] == ["**"]:
            names.append("*")
        return [None if name == "**" else name_matcher(name) for name in names]

    def closure(self, states: Iterable[State]) -> frozenset[State]:
        todo = list(states)
        seen: set[State] = set()
        while todo:
            alternative, i = state = todo.pop()
            if state in seen or i >= len(self.alternatives[alternative]):
                continue
            seen.add(state)
            if self.alternatives[alternative][i] is None:
                todo.append((alternative, i + 1))
        return frozenset(seen)

    def matcher(self, states: frozenset[State]) -> NameMatcher:
        """Tells whether a name is a result."""
        ends = [self.alternatives[a][i] for a, i in states if i == len(self.alternatives[a]) - 1]
        last = [matches for matches in ends if matches is not None]
        if len(last) == 1:
            return last[0]
        return lambda name: any(matches(name) for matches in last)

    def below(self, states: frozenset[State], name: str) -> frozenset[State]:
        """The states inside the folder `name`; empty when nothing in it can match."""
        following: set[State] = set()
        for alternative, i in states:
            matcher = self.alternatives[alternative][i]
            if matcher is None:
                following.add((alternative, i))
            elif matcher(name):
                following.add((alternative, i + 1))
        return self.closure(following)


def name_matcher(pattern: str) -> NameMatcher:
    if pattern == "*":
        return lambda name: True
    if not any(c in pattern for c in "*?["):
        return pattern.__eq__
    # fnmatch's translation cannot backtrack for ever
    return re.compile(fnmatch.translate(pattern.replace("[^", "[!"))).match


def alternatives(pattern: str) -> list[str]:
    """A pattern with its braces written out."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        if len(done) + len(todo) > 64:
            raise Refusal("tool", "The pattern's braces stand for more than 64 patterns.")
        text = todo.pop()
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", text)
        if braces is None:
            done.append(text)
        else:
            todo += [text[: braces.start()] + part + text[braces.end() :] for part in braces[1].split(",")]
    return done


class Listing:
    """The entries of one folder that can matter, in the order of their full paths."""

    def __init__(self, fd: int, prefix: str, states: frozenset[State]) -> None:
        self.fd = fd
        self.prefix = prefix
        self.states = states
        self.entries: Iterator[tuple[str, object]] = iter(())

    def read(self, glob: Glob, skipped: NameMatcher) -> None:
        matches = glob.matcher(self.states)
        entries: list[tuple[str, object]] = []
        with os.scandir(self.fd) as found:
            for entry in found:
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not skipped(name):
                        entries.append((name + "/", matches(name)))
                elif matches(name) and name != ".git":
                    entries.append((name, True))
        self.entries = iter(sorted(entries))


def name_filter(skip: list[str]) -> NameMatcher:
    patterns = [fnmatch.translate(name) for name in [*skip, ".git"]]
    return re.compile("|".join(patterns)).match


def workspace_pattern(pattern: str, name: str) -> str:
    """A pattern relative to the root, from one that may be absolute; `.` and empty names are left out."""
    if not pattern.strip():
        raise Refusal("tool", f"The {name} is empty.")
    names = [part for part in pattern.split("/") if part not in ("", ".")]
    absolute = pattern.startswith("/")
    if (absolute and names[:1] != ["workspace"]) or ".." in names or "\0" in pattern:
        raise Refusal("tool", f"{printable(encode(pattern))[:300]}: the {name} leads outside the workspace.")
    return "/".join(names[1:] if absolute else names) or "*"


class PathSearch:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    async def glob(self, call: Call, args: GlobArgs) -> GlobReply:
        glob = Glob(workspace_pattern(args["pattern"], "pattern"))
        limit, skipped = args["limit"], name_filter(args["skip"])
        withheld, deadline = Withheld(args["withhold"]), time.monotonic() + SEARCH_SECONDS
        paths: list[str] = []
        open_folders: list[Listing] = []
        try:
            open_folders.append(Listing(self.workspace.root(LIST), "", glob.start))
            open_folders[0].read(glob, skipped)
            turn = time.monotonic() + SEARCH_SLICE
            while open_folders and len(paths) <= limit:
                # by the clock: the cost of a step depends on the pattern
                if time.monotonic() > turn:
                    await breathe()
                    if time.monotonic() > deadline:
                        raise Refusal("tool", f"The search took longer than {SEARCH_SECONDS:g} s; narrow the pattern.")
                    turn = time.monotonic() + SEARCH_SLICE
                path = self.step(glob, skipped, open_folders)
                if path is not None and not withheld.holds(path):
                    paths.append(path)
        finally:
            for folder in open_folders:
                os.close(folder.fd)
        return {"paths": paths[:limit], "truncated": len(paths) > limit, "withheld": withheld.reply()}

    def step(self, glob: Glob, skipped: NameMatcher, open_folders: list[Listing]) -> str | None:
        """The next result, if this step came upon one."""
        folder = open_folders[-1]
        name, matched = next(folder.entries, (None, False))
        if name is None:
            os.close(open_folders.pop().fd)
            return None
        path = folder.prefix + name
        if name.endswith("/") and len(open_folders) < FOLDERS_DEEP:
            self.open_below(glob, skipped, open_folders, path)
        return printable(os.fsencode(path)) if matched else None

    def open_below(self, glob: Glob, skipped: NameMatcher, open_folders: list[Listing], path: str) -> None:
        folder, name = open_folders[-1], path.rstrip("/").rpartition("/")[2]
        states = glob.below(folder.states, name)
        if not states:
            return
        try:
            fd = os.open(name, LIST, dir_fd=folder.fd)
        except OSError:
            return
        below = Listing(fd, path, states)
        open_folders.append(below)
        below.read(glob, skipped)
