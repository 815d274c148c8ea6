"""Guards the files that decide how a tree is judged, which a task may not change unless it names them."""

from __future__ import annotations

from check.judge.comparison import Comparison
from check.judge.pytest_settings import import_roots, plugins_in, settings_of
from check.judge.ruff_files import ruff_bases
from check.tree import tables
from check.tree.imports import is_without_code
from check.tree.trees import base_name, blob_id, folder_of, join, parents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from check.tree.tables import NotParsed, Table, Value
    from check.tree.text import Text
    from check.tree.trees import Tree

CONFIGURATION = {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "ruff.toml", ".ruff.toml"}
START_UP = {"sitecustomize", "usercustomize"}
BYTECODE = (".so", ".pyd", ".pyc", ".pyo")
ARCHIVES = (".zip", ".egg", ".whl", ".pyz", ".pth")


class Judge(Comparison):
    """`staged`: content of the staged tests by path."""

    def __init__(self, last: Tree, tree: Tree, staged: dict[str, bytes], text: Text) -> None:
        super().__init__(last, tree, text)
        self.staged = staged
        self.package_marks = {"tests/__init__.py"} | {
            join(folder, "__init__.py") for path in self.staged for folder in ["", *parents(path)]
        }
        settings = settings_of([last, tree], self.paths)
        self.plugins = plugins_in(settings)
        tests = {folder_of(path) for path in [*self.staged, *(one for one in self.paths if is_conftest(one))]}
        self.roots = import_roots([last, tree], tests, settings)

    def compare(self) -> None:
        self.staged_tests()
        self.configuration()
        self.shared_configuration()
        self.start_up_hooks()
        self.unreadable_code()

    def staged_tests(self) -> None:
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

    def configuration(self) -> None:
        extended = {path for tree in (self.last, self.tree) for path in ruff_bases(tree)}
        for path in self.differing:
            if base_name(path) in CONFIGURATION or path in extended:
                self.report_change(path)
            elif self.is_mark(path) and not self.emptily_added(path):
                self.report_change(path)

    def report_change(self, path: str, allowed: bool | None = None) -> None:
        if change := self.change_of(path):
            self.report(path, change, allowed=allowed)

    def shared_configuration(self) -> None:
        for path in self.differing:
            name = base_name(path)
            if name not in tables.SHARED or (name == "entry_points.txt" and "-info/" not in path.lower()):
                continue
            before: Table | type[NotParsed] = tables_in(self.last, path)
            after = tables_in(self.tree, path)
            if after is tables.UNREADABLE:
                hopeless = before is tables.UNREADABLE and self.text.names_file(path)
                self.report_change(path, allowed=hopeless)
                continue
            if before is tables.UNREADABLE:
                before = {}
            for header in sorted({*before, *after}):
                if before.get(header) != after.get(header):
                    self.report_table(path, header, before.get(header), after.get(header))

    def report_table(self, path: str, header: str, before: Value | None, after: Value | None) -> None:
        header, before, after = narrowed(header, before, after)
        what = "added" if before is None else "deleted" if after is None else "changed"
        new = names_in(after) - names_in(before) if header in tables.PLUGIN_TABLES else set[str]()
        named = self.text.names_file(path) and self.names_table(header, before or {}, after or {})
        self.report(path, what, header, allowed=named and all(self.text.has(name) for name in new))

    def names_table(self, header: str, before: Value, after: Value) -> bool:
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

    def start_up_hooks(self) -> None:
        for path in self.differing:
            stems = {base_name(path).split(".")[0], base_name(folder_of(path))}
            is_code = path.endswith((".py", *BYTECODE)) or path in self.tree.links
            if path in self.tree and START_UP & stems and is_code:
                self.report_change(path)

    def unreadable_code(self) -> None:
        for path in self.differing:
            metadata = path in self.tree.links and path.lower().endswith("-info")
            on_path = (folder_of(path) in self.roots and path.endswith(ARCHIVES)) or metadata
            if path in self.tree and (path.endswith(BYTECODE) or on_path or path in self.roots):
                self.report(path, "unreadable_code", allowed=self.text.names_file(path))

    def emptily_added(self, path: str) -> bool:
        """A conftest or package mark without code changes nothing."""
        if path in self.last or not self.is_mark(path):
            return False
        source = self.tree.text(path)
        return source is not None and is_without_code(source)

    def is_mark(self, path: str) -> bool:
        return is_conftest(path) or path in self.package_marks


def is_conftest(path: str) -> bool:
    return base_name(path) == "conftest.py"


def tables_in(tree: Tree, path: str) -> Table | type[NotParsed]:
    return tables.tables_of(base_name(path), tree.text(path)) if path in tree else {}


def narrowed(header: str, before: Value | None, after: Value | None) -> tuple[str, Value | None, Value | None]:
    """The innermost table that holds all that changed."""
    while True:
        one, other = before or {}, after or {}
        if not isinstance(one, dict) or not isinstance(other, dict):
            break
        keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
        if len(keys) != 1 or not isinstance(one.get(keys[0], {}), dict) or not isinstance(other.get(keys[0], {}), dict):
            break
        header, before, after = f"{header}.{keys[0]}", one.get(keys[0]), other.get(keys[0])
    return header, before, after


def names_in(table: Value | None) -> set[str]:
    if isinstance(table, (dict, str)):
        return set(table)
    return {str(one) for one in (table if isinstance(table, list) else [table])} if table else set()
