"""Facts of calls: what is called, and what is read, stored and imported through it by a name that stands in a text."""

from __future__ import annotations

import ast

from check.project.library import is_library
from check.scan.facts.facts import spelled_name
from check.scan.names.dotted import as_called, canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from check.scan.facts.facts import Facts, How
    from check.scan.names.scope import Scope
    from check.scan.names.texts import Strings

DICT_STORES = {"update", "__setitem__", "setdefault", "pop", "__delitem__", "clear"}
ENVIRONMENT = {"os.environ.get", "os.getenv", "os.environ.pop", "os.environ.setdefault", "os.environ.__getitem__"}
SETATTR = {"builtins.setattr", "builtins.delattr"}
GETATTR = {"builtins.getattr", "inspect.getattr_static"}
BY_ATTRIBUTE = {"operator.attrgetter", "operator.methodcaller"}
SETITEM = {"operator.setitem", "operator.delitem", *(f"builtins.dict.{name}" for name in DICT_STORES)}
REACHING = {*SETATTR, *GETATTR, "importlib.import_module", "builtins.__import__", "importlib.__import__"}
IMPORTERS = {"importlib.import_module", "builtins.__import__", "importlib.__import__"}


def tell_call(facts: Facts, node: ast.Call, scope: Scope) -> None:
    for one in map(as_called, facts.names.of(node.func, scope)):
        facts.tell("call", one, node, scope)
        called(facts, one, node, scope)
    if isinstance(node.func, ast.Attribute):
        method(facts, node.func, node, scope)
    patch(facts, node, scope)
    hand_on(facts, node, scope)
    facts.uses(node, scope)


def called(facts: Facts, name: str, node: ast.Call, scope: Scope) -> None:
    if name in ENVIRONMENT:
        for text in facts.names.words(node, 0, scope):
            facts.tell("environ", text, node, scope)
    elif name in SETATTR or (name.endswith(".__setattr__") and len(node.args) == 3):
        store_by_name(facts, node, (0, 1), scope)
    elif name in GETATTR:
        get_by_name(facts, node, scope)
    elif name in SETITEM and node.args:
        store_item(facts, facts.names.given(node, 0, scope), node.args[-1], node, scope)
    elif name in BY_ATTRIBUTE:
        for text in facts.names.words(node, 0, scope):
            for part in text.split("."):
                facts.tell("attribute", part, node, scope)
    elif name in IMPORTERS:
        import_by_name(facts, node, scope)
    elif name.startswith("sys.modules.") and node.args:
        facts.unreadable("sys.modules", node.args[0], node, scope)


def method(facts: Facts, func: ast.Attribute, node: ast.Call, scope: Scope) -> None:
    """Tells what is stored or read through methods of a module, a class, or the dictionary of one."""
    if func.attr not in DICT_STORES and func.attr not in ("__setattr__", "__getattribute__"):
        return
    bases = facts.names.of(func.value, scope)
    if func.attr == "__getattribute__" and len(node.args) == 2:
        get_by_name(facts, node, scope)
        for one in facts.names.given(node, 0, scope):
            for text in facts.names.words(node, 1, scope):
                facts.tell("use", f"{one}.{text}", node, scope)
        return
    if func.attr in DICT_STORES:
        store_item(facts, bases, node.args[0] if node.args else node, node, scope)
        return
    for base in bases:
        for text in facts.names.words(node, 0, scope) or {"*"}:
            if func.attr == "__getattribute__":
                facts.tell("use", f"{base}.{text}", node, scope)
            elif len(node.args) == 2:
                facts.tell("store", f"{base}.{text}", node, scope)


def patch(facts: Facts, node: ast.Call, scope: Scope) -> None:
    """`mock.patch` and `monkeypatch.setattr`, which a test undoes."""
    last = spelled_name(node.func)
    above = spelled_name(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    if above == "patch" and last in ("dict", "multiple"):
        store_item(facts, facts.names.given(node, 0, scope), node, node, scope)
        for text in facts.names.words(node, 0, scope):
            facts.tell("store", f"{text}.*", node, scope, "mock")
        return
    if last == "patch":
        places = (0, len(node.args))
    elif not isinstance(node.func, ast.Attribute):
        return
    elif last in ("setattr", "delattr") or (last == "object" and above == "patch"):
        places = (0, 1)
    else:
        return
    for text in facts.names.words(node, 0, scope):
        facts.tell("store", text, node, scope, "mock")
    store_by_name(facts, node, places, scope, "mock")


def hand_on(facts: Facts, node: ast.Call, scope: Scope) -> None:
    """Finds `map(setattr, [time], ...)`: a function that reaches into a module is passed on, and the module after
    it."""
    for reaching, target in zip(node.args, node.args[1:], strict=False):
        found = REACHING.intersection(map(as_called, facts.names.of(reaching, scope)))
        if not found:
            continue
        for one in (*facts.names.of(target, scope), *facts.names.elements(target, scope)):
            if is_library(one):
                facts.tell("store" if found & SETATTR else "hidden", f"{one}.*", node, scope)
        if found & IMPORTERS:
            for inner, its in facts.names.spelling.parts(target, scope):
                for text in facts.names.texts(inner, its):
                    facts.tell("use", canonical(text), node, scope)


def import_by_name(facts: Facts, node: ast.Call, scope: Scope) -> None:
    for text in facts.names.words(node, 0, scope):
        facts.tell("import", text, node, scope)
    if node.args:
        prefixed = isinstance(node.args[0], (ast.JoinedStr, ast.BinOp))
        facts.unreadable("import", node.args[0], node, scope, computed=not prefixed)


def get_by_name(facts: Facts, node: ast.Call, scope: Scope) -> None:
    if len(node.args) < 2:
        return
    bases = facts.names.given(node, 0, scope)
    for text in facts.names.words(node, 1, scope):
        facts.tell("attribute", text, node, scope, "own" if is_own(bases) else "")
    library = sorted(base for base in bases if is_library(base))
    if library:
        facts.unreadable(library[0], node.args[1], node, scope)


def store_by_name(facts: Facts, node: ast.Call, places: tuple[int, int], scope: Scope, how: How = "") -> None:
    base, name = places
    for text in facts.names.words(node, name, scope):
        facts.tell("store_attribute", text, node, scope, how)
    for one in facts.names.given(node, base, scope):
        for text in facts.names.words(node, name, scope) or {"*"}:
            facts.tell("store", f"{one}.{text}", node, scope, how)


def store_item(facts: Facts, spaces: Iterable[str], key: ast.expr, node: ast.expr, scope: Scope) -> None:
    for space in spaces:
        if space not in ("sys.modules", "builtins") and not space.endswith(".__dict__"):
            continue
        texts = facts.names.texts(key, scope)
        for text in texts:
            for name in facts.names.item(space, text, scope):
                facts.tell("store", f"{name}.*" if space == "sys.modules" else name, node, scope)
        if space == "sys.modules":
            facts.unreadable(space, key, node, scope, computed=False)
        elif not texts:
            facts.tell("store", f"{space.removesuffix('.__dict__')}.*", node, scope)


def is_own(receivers: Strings) -> bool:
    """Whether all receivers are classes of the project themselves, and not reached from one through a name such as
    `__base__`."""
    return bool(receivers) and not any(is_library(one) or ".__" in one for one in receivers)
