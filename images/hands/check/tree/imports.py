"""Tells from syntax trees what test code loads: imports, imports by name, and the plugins it asks pytest for."""

from __future__ import annotations

import ast
import functools

from check.tree.trees import folder_of, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from check.tree.trees import Tree

    # the folder it is looked for in (None: wherever top-level names are), and the parts of the name
    Module = tuple[str | None, tuple[str, ...]]

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
REGISTRY = "pluginmanager"
BY_NAME = {"import_module", "__import__", "importorskip", "run_module", "find_spec"}


@functools.lru_cache(maxsize=500)
def parse(source: str | None) -> ast.Module | None:
    try:
        return ast.parse(source or "")
    except UNREADABLE:
        return None


def imported(source: str | None, path: str) -> set[Module]:
    module = parse(source)
    found: set[Module] = set()
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.Import):
            found |= {(None, parts(alias.name)) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            folder = folder_up(path, node.level) if node.level else None
            start = parts(node.module or "")
            found |= {(folder, start), *((folder, (*start, alias.name)) for alias in node.names if alias.name != "*")}
        elif isinstance(node, ast.Call) and called(node) in BY_NAME:
            found |= {(None, parts(value)) for given in node.args if (value := literal(given))}
    return {(folder, name) for folder, name in found if name or folder is not None}


def folder_up(path: str, levels: int) -> str:
    for _ in range(levels):
        path = folder_of(path)
    return path


def parts(name: str) -> tuple[str, ...]:
    return tuple(part for part in name.split(".") if part)


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def literal(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def plugins(source: str) -> set[str]:
    """Modules named in `pytest_plugins`."""
    return {name for value in plugin_lists(source) for inner in ast.walk(value) if (name := literal(inner))}


def plugin_lists(source: str) -> Iterator[ast.expr]:
    if source.isascii() and "pytest_plugins" not in source:
        return
    module = parse(source)
    for node in ast.walk(module) if module else ():
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(getattr(target, "id", "") == "pytest_plugins" for target in targets):
            value: ast.expr | None = getattr(node, "value", None)
            if value is not None:
                yield value


def hooks(source: str) -> set[str]:
    """Everything by which a file can take part in judging: names of hooks it binds in any way, and plugins it loads."""
    module = parse(source)
    if module is None:
        return {"*"}
    found = plugins(source)
    for node in ast.walk(module):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found |= {node.name, node.asname or ""} if node.name != "*" else {"*"}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    named = plugins(source)
    return {
        name
        for name in found
        if name in named or name in ("*", REGISTRY) or (name.startswith("pytest_") and name.isidentifier())
    }


def loads_hooks_from(source: str, path: str) -> Iterator[Module]:
    """The modules that a conftest imports hooks from: with a star, or by a name that begins with pytest_."""
    module = parse(source)
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.ImportFrom):
            names = {name for alias in node.names for name in (alias.name, alias.asname or "")}
            if "*" in names or any(name.startswith("pytest_") for name in names):
                yield folder_up(path, node.level) if node.level else None, parts(node.module or "")


def computes_plugins(source: str) -> bool:
    """Whether only running would tell what stands in `pytest_plugins`."""
    return any(
        not isinstance(inner, (ast.Constant, ast.List, ast.Tuple, ast.Load))
        for value in plugin_lists(source)
        for inner in ast.walk(value)
    )


def is_without_code(source: str | None) -> bool:
    """Whether a source is empty or holds only comments."""
    module = parse(source)
    return module is not None and not module.body


def located(tree: Tree, roots: Iterable[str], name: str) -> str | None:
    """The path, without suffix, that a top-level name is loaded from. A folder without __init__ yields to all else."""
    for root in roots:
        base = join(root, name)
        if f"{base}/__init__.py" in tree or f"{base}.py" in tree or base in tree:
            return base
    return next((join(root, name) for root in roots if join(root, name) in tree.folders), None)


def places(base: str, names: Iterable[str]) -> list[str]:
    """Every file that importing `names` below `base` could run, whether it exists or not."""
    found: list[str] = []
    for part in ["", *names]:
        base = join(base, part) if part else base
        found += [base, f"{base}.py", f"{base}/__init__.py"]
    return found
