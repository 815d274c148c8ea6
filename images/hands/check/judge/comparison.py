"""Compares two trees path by path, and takes down each change with whether the task allows it and how to undo it."""

from __future__ import annotations

import shlex

from check.tree.imports import computes_plugins, hooks, plugins
from check.tree.trees import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from check.tree.text import Text
    from check.tree.trees import Tree
    from check.wire.shapes import JudgeFileChange, Offence

    Change = Literal["added", "deleted", "changed"]


class Comparison:
    """`last`: the last accepted tree; `tree`: the one submitted; `text`: the task's own words."""

    def __init__(self, last: Tree, tree: Tree, text: Text) -> None:
        self.last = last
        self.tree = tree
        self.text = text
        self.paths = sorted({*last.entries, *tree.entries})
        self.differing = [path for path in self.paths if last.identity(path) != tree.identity(path)]
        # paths and tables that were reported
        self.seen: set[tuple[str, str | None]] = set()
        self.changes: list[JudgeFileChange] = []
        self.notes: list[str] = []

    def change_of(self, path: str) -> Change | None:
        before, after = self.last.identity(path), self.tree.identity(path)
        if before == after:
            return None
        return "added" if before[0] is None else "deleted" if after[0] is None else "changed"

    def report(
        self,
        path: str,
        what: Offence,
        table: str | None = None,
        *,
        allowed: bool | None = None,
        remedy: str | None = None,
    ) -> None:
        """`allowed`: None if that is for the task to say."""
        if (path, table) in self.seen:
            return
        self.seen.add((path, table))
        why = ""
        if allowed is None:
            unnamed = self.unnamed_hooks(path)
            allowed = not unnamed and self.text.names_file(path)
            if unnamed and self.text.names_file(path):
                why = f" (the task names the file, but not {', '.join(unnamed)[:200]})"
        if allowed:
            self.notes.append(f"{what} by the task, which names it: {shown(path)}" + (f" [{table}]" if table else ""))
        remedy = remedy or self.remedy(path, what, table) + why
        self.changes.append({"path": shown(path), "table": table, "what": what, "allowed": allowed, "remedy": remedy})

    def remedy(self, path: str, what: Offence, table: str | None) -> str:
        if self.last.entries.get(path) == self.tree.entries.get(path):
            path = self.tree.resolved(path)  # the change is in the file that the link leads to
        quoted = shlex.quote(shown(path))
        if table and what != "added":
            return f"git diff HEAD -- {quoted} shows what was; put [{table}] back"
        if table:
            return f"take [{table}] out of {quoted}"
        restorable = path in self.last and self.tree.identity(path) != self.last.identity(path)
        return f"git checkout HEAD -- {quoted}" if restorable else f"rm -rf {quoted}"

    def unnamed_hooks(self, path: str) -> list[str]:
        """Hooks and plugins that are new in a file and not named by the task."""
        source = self.tree.text(path)
        if not path.endswith(".py") or path not in self.tree:
            return []
        if source is None:
            return ["*"]
        before = hooks(self.last.text(path) or "") if path in self.last else set[str]()
        unnamed = {name for name in hooks(source) - before if name == "*" or not self.text.has_module(name)}
        asked = plugins(source) if not computes_plugins(source) else set[str]()
        return sorted(unnamed - {"pytest_plugins"} if asked and all(map(self.text.has_module, asked)) else unnamed)
