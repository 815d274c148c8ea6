"""Reads the little of setup.py that can be read without running it."""

from __future__ import annotations

import ast
import warnings

from environment.declared import metadata_headers
from environment.declared.pyproject import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from environment.declared.project import Project


def of_setup_py(project: Project, text: str) -> None:
    """Takes name, version and the folder of the modules if they are written out in the call of setup()."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", None)) == "setup":
            mappings = [one.value for one in node.keywords if one.arg == "package_dir"]
            project.folders += [root for mapping in mappings for root in roots_of(mapping)]
            given = {one.arg: one.value.value for one in node.keywords if isinstance(one.value, ast.Constant)}
            if isinstance(given.get("name"), str):
                project.source = "setup.py"
                named(project, given["name"], given.get("version"))
                project.about = metadata_headers.of_words({name: value for name, value in given.items() if name})
                return


def roots_of(mapping: ast.expr) -> list[object]:
    """The folders that a literal `package_dir` gives for the modules without a package."""
    pairs = zip(mapping.keys, mapping.values) if isinstance(mapping, ast.Dict) else ()
    return [folder.value for name, folder in pairs if is_empty_text(name) and isinstance(folder, ast.Constant)]


def is_empty_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == ""
