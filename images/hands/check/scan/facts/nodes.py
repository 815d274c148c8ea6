"""Goes through the nodes of a file and tells the facts of each."""

from __future__ import annotations

import ast

from check.scan.facts.answers import AGREEABLE, answers, is_agreeable
from check.scan.facts.calls import is_own, store_item, tell_call
from check.scan.facts.facts import spelled_name
from check.scan.names.bindings import imports_of
from check.scan.names.by_kind import for_kinds
from check.scan.names.dotted import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from check.scan.facts.facts import Fact, Facts
    from check.scan.names.by_kind import Act
    from check.scan.names.scope import Scope


def all_facts(facts: Facts) -> list[Fact]:
    for node, scope in facts.walk.seen:
        tell = TELLERS.get(type(node))
        if tell:
            tell(facts, node, scope)
    return facts.found


def importing(facts: Facts, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
    for name, _ in imports_of(node):
        facts.tell("use", canonical(name), node, scope)
        facts.tell("import", name, node, scope)


def name(facts: Facts, node: ast.Name, scope: Scope) -> None:
    if isinstance(node.ctx, ast.Load):
        facts.uses(node, scope)


def attribute(facts: Facts, node: ast.Attribute, scope: Scope) -> None:
    if isinstance(node.ctx, ast.Load):
        if facts.wanted("attribute", node.attr) and not only_asks_for_name(facts, node):
            own = is_own(facts.names.of(node.value, scope))
            facts.tell("attribute", node.attr, node, scope, "own" if own else "")
        if node.attr not in facts.walk.bindings.attributes and not facts.names.of(node.value, scope):
            facts.tell("unknown", node.attr, node, scope)
        facts.uses(node, scope)
        return
    facts.tell("store_attribute", node.attr, node, scope)
    for one in facts.names.of(node.value, scope):
        facts.tell("store", f"{one}.{node.attr}", node, scope)


def only_asks_for_name(facts: Facts, node: ast.Attribute) -> bool:
    """`frame.f_globals["__name__"]`: which module calls, as loggers and warnings ask."""
    parent = facts.walk.parents.get(id(node))
    key = None
    if isinstance(parent, ast.Attribute) and parent.attr == "get":
        call = facts.walk.callers.get(id(parent))
        key = call.args[0] if call and call.args else None
    elif isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Load) and parent.value is node:
        key = parent.slice
    return node.attr == "f_globals" and isinstance(key, ast.Constant) and key.value == "__name__"


def subscript(facts: Facts, node: ast.Subscript, scope: Scope) -> None:
    spaces = facts.names.of(node.value, scope)
    if not isinstance(node.ctx, ast.Load):
        if "sys.path" in spaces:
            facts.tell("store", "sys.path", node, scope)
        store_item(facts, spaces, node.slice, node, scope)
        return
    facts.uses(node, scope)
    if is_namespace(node.value):
        for text in facts.names.texts(node.slice, scope):
            facts.tell("attribute", text, node, scope)
            facts.tell("slot", text, node, scope)
    if "os.environ" in spaces:
        for text in facts.names.texts(node.slice, scope):
            facts.tell("environ", text, node, scope)
    if "sys.modules" in spaces:
        facts.unreadable("sys.modules", node.slice, node, scope)


def is_namespace(node: ast.expr) -> bool:
    return spelled_name(node.func if isinstance(node, ast.Call) else node) in ("__dict__", "vars")


def compare(facts: Facts, node: ast.Compare, scope: Scope) -> None:
    for operator, right in zip(node.ops, node.comparators, strict=True):
        spaces = facts.names.of(right, scope) if isinstance(operator, (ast.In, ast.NotIn)) else ()
        for text in facts.names.texts(node.left, scope) if spaces else ():
            if "sys.modules" in spaces:
                facts.tell("use", f"sys.modules:{text.partition('.')[0]}", node, scope)
            if "os.environ" in spaces:
                facts.tell("environ", text, node, scope)
    for side in (node.left, *node.comparators):
        answer(facts, side, scope)


def answer(facts: Facts, node: ast.expr, scope: Scope) -> None:
    for literal in answers(node):
        facts.tell("answer", "", literal, scope)


def constant(facts: Facts, node: ast.Constant, scope: Scope) -> None:
    if isinstance(node.value, str):
        facts.tell("text", node.value, node, scope)


def put_together(facts: Facts, node: ast.JoinedStr, scope: Scope) -> None:
    pieces = [piece.value if isinstance(piece, ast.Constant) else "{}" for piece in node.values]
    facts.tell("text", "".join(map(str, pieces)), node, scope)


def returned(facts: Facts, node: ast.Return, scope: Scope) -> None:
    if node.value is not None:
        answer(facts, node.value, scope)


def function(facts: Facts, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
    if scope.kind == "class" and is_agreeable(node):
        facts.tell("agreeable", node.name, node, scope)


def anonymous(facts: Facts, node: ast.Lambda, scope: Scope) -> None:
    answer(facts, node.body, scope)


def class_body(facts: Facts, node: ast.ClassDef, scope: Scope) -> None:
    for inner in node.body:
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Lambda):
            names: set[str] = {getattr(target, "id", "") for target in inner.targets}
            for name in names & AGREEABLE if getattr(inner.value.body, "value", None) is True else ():
                facts.tell("agreeable", name, inner, scope)


TELLERS: dict[type[ast.AST], Act[Facts, None]] = {
    **for_kinds(importing, ast.Import, ast.ImportFrom),
    **for_kinds(name, ast.Name),
    **for_kinds(attribute, ast.Attribute),
    **for_kinds(subscript, ast.Subscript),
    **for_kinds(tell_call, ast.Call),
    **for_kinds(compare, ast.Compare),
    **for_kinds(constant, ast.Constant),
    **for_kinds(put_together, ast.JoinedStr),
    **for_kinds(returned, ast.Return),
    **for_kinds(function, ast.FunctionDef, ast.AsyncFunctionDef),
    **for_kinds(anonymous, ast.Lambda),
    **for_kinds(class_body, ast.ClassDef),
}
