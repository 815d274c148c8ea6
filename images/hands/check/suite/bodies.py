"""Hashes what test functions hold, so that one that was renamed is recognised. Runs nothing of a tree."""

from __future__ import annotations

import ast
import hashlib

from check.tree.imports import FUNCTIONS, parse
from check.tree.trees import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from check.wire.shapes import BodiesPayload, BodiesReport, FileOfTree


def bodies(payload: BodiesPayload, given: Sequence[FileOfTree]) -> BodiesReport:
    """For each tree and path the functions in it, with a hash of each one without its name and docstring."""
    repository = Repository(payload["repo"])
    trees = {oid: repository.tree(oid) for oid in {one["tree"] for one in given}}
    return {"files": [{"functions": sums(trees[one["tree"]].text(one["path"]))} for one in given]}


def sums(source: str | None) -> dict[str, str]:
    module = parse(source)
    return dict(walked(module.body, "")) if module else {}


def walked(body: Sequence[ast.stmt], around: str) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from walked(node.body, f"{around}{node.name}::")
        elif isinstance(node, FUNCTIONS):
            held = [*node.decorator_list, node.args, *without_docstring(node.body)]
            text = "\n".join(ast.dump(part) for part in held)
            yield f"{around}{node.name}", hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    is_text = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[1:] if is_text else body
