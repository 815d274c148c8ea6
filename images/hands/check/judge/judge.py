"""Guards the files that decide how a tree is judged, which a task may not change. Compares the last accepted tree with
the one submitted, and runs nothing of either. Also lists the tests that have to turn up, from their sources alone."""

import gc
import posixpath
import re
import shlex
import sys

from check.judge.expected import expected_of
from check.scan.scan import findings
from check.tree import tables
from check.tree.imports import computes_plugins, hooks, is_without_code, plugins
from check.tree.loaded import Loaded, Since
from check.tree.text import Text
from check.tree.trees import Repository, base_name, blob_id, folder_of, join, parents, shown

CONFIGURATION = {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "ruff.toml", ".ruff.toml"}
PYTEST_SOURCES = {name for name in CONFIGURATION if "pytest" in name} | {"pyproject.toml", "tox.ini", "setup.cfg"}
RUFF_SOURCES = {"ruff.toml", ".ruff.toml", "pyproject.toml"}
START_UP = {"sitecustomize", "usercustomize"}
BYTECODE = (".so", ".pyd", ".pyc", ".pyo")
ARCHIVES = (".zip", ".egg", ".whl", ".pyz", ".pth")
MOST_CHANGES = 200
LATE_COLLECTION = 200_000
DEEPEST = 7_000


def answer(payload, given):
    gc.set_threshold(LATE_COLLECTION)  # the process ends soon, and the memory of its syntax trees with it
    sys.setrecursionlimit(DEEPEST)  # enough to walk whatever Python itself would compile
    repository = Repository(payload["repo"])
    last, tree = (repository.tree(payload[name]) for name in ("last", "tree"))
    text = Text(given["text"], {*last.entries, *tree.entries})
    judge = Judge(last, tree, given["staged"], text)
    judge.compare()
    since = Since(payload.get("base", last.oid), [Text(said, text.paths) for said in given.get("accepted", [])])
    Loaded(judge, since).compare(given.get("opened", []))
    expected = [one for test in given["staged"] if test["judging"] for one in expected_of(test["path"], test["source"])]
    return {
        "expected": expected,
        "changes": judge.changes[:MOST_CHANGES],
        "notes": judge.notes[:MOST_CHANGES],
        "findings": findings(last, tree, judge.differing, given["staged"], text, judge.plugins),
    }


class Judge:
    def __init__(self, last, tree, staged, text):
        self.last = last
        self.tree = tree
        self.text = text
        self.staged = {test["path"]: test["source"].encode() for test in staged}
        self.paths = sorted({*last.entries, *tree.entries})
        self.differing = [path for path in self.paths if last.identity(path) != tree.identity(path)]
        self.plugins = set()
        self.package_marks = {"tests/__init__.py"} | {
            join(folder, "__init__.py") for path in self.staged for folder in ["", *parents(path)]
        }
        self.roots = self.import_roots()
        self.seen = set()
        self.changes = []
        self.notes = []

    def import_roots(self):
        """Folders that top-level names are looked for in, in their order: those of tests and conftests come first."""
        tests = {folder_of(path) for path in self.staged} | {
            folder_of(path) for path in self.paths if base_name(path) == "conftest.py"
        }
        roots = {root_of(tree, folder) for tree in (self.last, self.tree) for folder in tests}
        ordered = [*sorted(roots, key=lambda root: (-len(root), root)), "", "src"]
        for path in self.paths:
            if base_name(path) not in PYTEST_SOURCES:
                continue
            for tree in (self.last, self.tree):
                found = tables.settings_of_pytest(base_name(path), tree.text(path) if path in tree else None)
                entries = tables.words(found.get("pythonpath", []))
                ordered += [posixpath.normpath(join(folder_of(path), entry)) for entry in entries]
                self.plugins |= plugins_of(tables.words(found.get("addopts", [])))
        return list(dict.fromkeys("" if root == "." else root for root in ordered))

    def compare(self):
        self.staged_tests()
        self.configuration()
        self.shared_configuration()
        self.start_up_hooks()
        self.unreadable_code()

    def report(self, path, what, table=None, allowed=None, why="", remedy=None):
        if (path, table) in self.seen:
            return
        self.seen.add((path, table))
        if allowed is None:
            unnamed = self.unnamed_hooks(path)
            allowed = not unnamed and self.text.names_file(path)
            if unnamed and self.text.names_file(path):
                why = f" (the task names the file, but not {', '.join(unnamed)[:200]})"
        if allowed:
            self.notes.append(f"{what} by the task, which names it: {shown(path)}" + (f" [{table}]" if table else ""))
        remedy = remedy or self.remedy(path, what, table) + why
        self.changes.append({"path": shown(path), "table": table, "what": what, "allowed": allowed, "remedy": remedy})

    def remedy(self, path, what, table):
        if self.last.entries.get(path) == self.tree.entries.get(path):
            path = self.tree.resolved(path)  # the change is in the file that the link leads to
        quoted = shlex.quote(shown(path))
        if table and what != "added":
            return f"git diff HEAD -- {quoted} shows what was; put [{table}] back"
        if table:
            return f"take [{table}] out of {quoted}"
        restorable = path in self.last and self.tree.identity(path) != self.last.identity(path)
        return f"git checkout HEAD -- {quoted}" if restorable else f"rm -rf {quoted}"

    def change_of(self, path):
        before, after = self.last.identity(path), self.tree.identity(path)
        if before == after:
            return None
        return "added" if before[0] is None else "deleted" if after[0] is None else "changed"

    def staged_tests(self):
        for path, source in self.staged.items():
            if self.tree.identity(path) != ("100", blob_id(source)):
                self.report(path, "changed" if path in self.tree else "deleted", allowed=False)
        stems = {base_name(path).removesuffix(".py").lower() for path in self.staged}
        for path in self.differing:
            if (
                path in self.tree
                and path not in self.staged
                and stems & {part.split(".")[0].lower() for part in path.split("/")}
            ):
                self.report(path, "shadows", allowed=False)

    def configuration(self):
        extended = {path for tree in (self.last, self.tree) for path in ruff_bases(tree)}
        for path in self.differing:
            name = base_name(path)
            if name in CONFIGURATION or path in extended:
                self.report(path, self.change_of(path))
            elif name == "conftest.py" or path in self.package_marks:
                if not self.emptily_added(path):
                    self.report(path, self.change_of(path))

    def shared_configuration(self):
        for path in self.differing:
            name = base_name(path)
            if name not in tables.SHARED or (name == "entry_points.txt" and "-info/" not in path.lower()):
                continue
            before = tables.tables_of(name, self.last.text(path)) if path in self.last else {}
            after = tables.tables_of(name, self.tree.text(path)) if path in self.tree else {}
            if after is tables.UNREADABLE:
                hopeless = before is tables.UNREADABLE and self.text.names_file(path)
                self.report(path, self.change_of(path), allowed=hopeless)
                continue
            if before is tables.UNREADABLE:
                before = {}
            for header in sorted({*before, *after}):
                if before.get(header) != after.get(header):
                    self.report_table(path, header, before.get(header), after.get(header))

    def report_table(self, path, header, before, after):
        header, before, after = narrowed(header, before, after)
        what = "added" if before is None else "deleted" if after is None else "changed"
        new = set(after or {}) - set(before or {}) if header in tables.PLUGIN_TABLES else set()
        named = self.text.names_file(path) and self.names_table(header, before or {}, after or {})
        self.report(path, what, header, allowed=named and all(self.text.has(name) for name in new))

    def names_table(self, header, before, after):
        """Whether the tables that the text names hold all that changed."""
        named = False
        for name in self.text.tables():
            if name == header or (header.startswith(f"{name}.") and name.count(".") == 1):
                return True
            if name.startswith(f"{header}."):
                keys = name[len(header) + 1 :].split(".")
                before, after = tables.without(before, keys), tables.without(after, keys)
                named = True
        return named and before == after

    def start_up_hooks(self):
        for path in self.differing:
            stems = {base_name(path).split(".")[0], base_name(folder_of(path))}
            is_code = path.endswith((".py", *BYTECODE)) or path in self.tree.links
            if path in self.tree and START_UP & stems and is_code:
                self.report(path, self.change_of(path))

    def unreadable_code(self):
        for path in self.differing:
            metadata = path in self.tree.links and path.lower().endswith("-info")
            on_path = (folder_of(path) in self.roots and path.endswith(ARCHIVES)) or metadata
            if path in self.tree and (path.endswith(BYTECODE) or on_path or path in self.roots):
                self.report(path, "unreadable_code", allowed=self.text.names_file(path))

    def emptily_added(self, path):
        """A conftest or package mark without code changes nothing."""
        if path in self.last or not self.is_mark(path):
            return False
        source = self.tree.text(path)
        return source is not None and is_without_code(source)

    def is_mark(self, path):
        return base_name(path) == "conftest.py" or path in self.package_marks

    def unnamed_hooks(self, path):
        """Hooks and plugins that are new in a file and not named by the task."""
        source = self.tree.text(path)
        if not path.endswith(".py") or path not in self.tree:
            return []
        if source is None:
            return ["*"]
        before = hooks(self.last.text(path)) if path in self.last else set()
        unnamed = {name for name in hooks(source) - before if name == "*" or not self.text.has_module(name)}
        asked = plugins(source) if not computes_plugins(source) else set()
        return sorted(unnamed - {"pytest_plugins"} if asked and all(map(self.text.has_module, asked)) else unnamed)


def narrowed(header, before, after):
    """The innermost table that holds all that changed."""
    while isinstance(before or {}, dict) and isinstance(after or {}, dict):
        one, other = before or {}, after or {}
        keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
        if len(keys) != 1 or not isinstance(one.get(keys[0], {}), dict) or not isinstance(other.get(keys[0], {}), dict):
            break
        header, before, after = f"{header}.{keys[0]}", one.get(keys[0]), other.get(keys[0])
    return header, before, after


def root_of(tree, folder):
    """The first folder upwards that is no package."""
    while folder and f"{folder}/__init__.py" in tree:
        folder = folder_of(folder)
    return folder


def plugins_of(words):
    following = [word for option, word in zip(words, words[1:], strict=False) if option == "-p"]
    attached = [word[2:] for word in words if re.match(r"-p[^-]", word)]
    return {name for name in (*following, *attached) if not name.startswith("no:")}


def ruff_bases(tree):
    """Files that ruff configurations extend, directly or through another, whether they exist or not."""
    todo = [path for path in tree.entries if base_name(path) in RUFF_SOURCES]
    found = set()
    while todo:
        path = todo.pop()
        extended = tables.ruff_extends(base_name(path), tree.text(path) if path in tree else None)
        if extended:
            there = posixpath.normpath(join(folder_of(path), extended))
            todo += [there] if there not in found else []
            found.add(there)
    return found
