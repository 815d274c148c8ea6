"""Tells what an expression stands for, as far as a syntax tree shows: `os._exit` under whatever name and by whatever
road. Nothing is run or imported; where several things are possible, it stands for each of them."""

from __future__ import annotations

import ast
import builtins
import itertools

from check.scan.names.arguments import functions_of, pass_arguments
from check.scan.names.by_kind import for_kinds
from check.scan.names.dotted import PARTIAL, as_called, attribute_of, canonical
from check.scan.names.texts import NOTHING, Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVarTuple, Unpack

    from check.scan.names.by_kind import Act
    from check.scan.names.scope import Binding, Scope
    from check.scan.names.texts import Strings
    from check.scan.names.walk import Walk

    Given = TypeVarTuple("Given")

MOST = 16
BUILTINS = {name: frozenset({f"builtins.{name}"}) for name in dir(builtins)}
BUILTINS["__builtins__"] = frozenset({"builtins"})
GETATTR = {"builtins.getattr", "inspect.getattr_static", "builtins.object.__getattribute__"}
BY_ATTRIBUTE = {"operator.attrgetter", "operator.methodcaller"}
BY_NAME = {
    *["builtins.__import__", "importlib.import_module", "importlib.__import__", "pkgutil.resolve_name"],
    *["pydoc.locate", "pydoc.safeimport", "pytest.importorskip"],
}
HANDED_ON = {f"builtins.{name}" for name in "next iter list tuple sorted reversed set min max".split()}
LOOKUPS = (".get", ".pop", ".setdefault", ".__getitem__")


class Names:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.spelling = Texts(walk)
        self.texts = self.spelling.texts
        self.known: dict[int, Strings] = {}
        self.lists: dict[int, Strings] = {}
        pass_arguments(walk)

    def of(self, node: ast.expr, scope: Scope) -> Strings:
        if isinstance(node, ast.Name):
            return self.named(node.id, scope)
        tell = TELLERS.get(type(node))
        return self.once(node, tell, self, node, scope) if tell else NOTHING

    def named(self, name: str, scope: Scope) -> Strings:
        bindings = scope.find(name)
        if bindings is not None:
            return self.once(bindings, self.all_bound, bindings)
        if name in BUILTINS:
            return BUILTINS[name]
        return frozenset(f"{module}.{name}" for module in scope.stars)

    def once(self, key: object, tell: Callable[[Unpack[Given]], Iterable[str]], *given: Unpack[Given]) -> Strings:
        """Works out each key once. While it is being worked out it stands for nothing, so that a cycle ends."""
        found = self.known.get(id(key))
        if found is None:
            self.known[id(key)] = NOTHING
            found = self.known[id(key)] = frozenset(itertools.islice(tell(*given), MOST))
        return found

    def all_bound(self, bindings: Iterable[Binding], properties: bool = False) -> Iterator[str]:
        for binding in bindings:
            yield from self.bound(binding)
            if properties and binding[0] == "function":
                yield from self.result_of(binding[1])

    def result_of(self, function: Scope) -> Strings:
        return self.once(function, self.all_returned, function)

    def all_returned(self, function: Scope) -> Iterator[str]:
        for value in function.returns:
            yield from self.of(value, function)
            yield from self.elements(value, function)

    def bound(self, binding: Binding) -> Iterator[str]:
        self.spelling.spend()
        if binding[0] == "name":
            yield canonical(binding[1])
        elif binding[0] == "class":
            yield binding[1].path()
        elif binding[0] == "value":
            yield from self.of(binding[1], binding[2])
        elif binding[0] == "each":
            yield from self.elements(binding[1], binding[2])

    def elements(self, node: ast.expr, scope: Scope) -> Iterable[str]:
        bindings = scope.find(node.id) if isinstance(node, ast.Name) else None
        return self.listed(bindings, node, scope) if bindings else self.all_elements(node, scope)

    def listed(self, bindings: list[Binding], node: ast.expr, scope: Scope) -> Strings:
        found = self.lists.get(id(bindings))
        if found is None:
            self.lists[id(bindings)] = NOTHING
            found = self.lists[id(bindings)] = frozenset(itertools.islice(self.all_elements(node, scope), MOST))
        return found

    def all_elements(self, node: ast.expr, scope: Scope) -> Iterator[str]:
        inner = self.walk.inner.get(id(node))
        if inner is not None:
            for value in inner.returns:
                yield from self.of(value, inner)
        for inner, its in self.spelling.parts(node, scope):
            yield from self.of(inner, its)

    def attribute(self, node: ast.Attribute, scope: Scope) -> Iterator[str]:
        found = self.of(node.value, scope)
        for one in found:
            yield attribute_of(one, node.attr)
        if all(one.startswith("<own>") for one in found):
            stored = self.walk.bindings.attributes.get(node.attr)
            if stored:
                yield from self.once(stored, self.all_bound, stored, True)

    def subscript(self, node: ast.Subscript, scope: Scope) -> Iterator[str]:
        base = self.of(node.value, scope)
        for key in self.texts(node.slice, scope) if base else ():
            for one in base:
                yield from self.item(one, key, scope)
        yield from self.elements(node.value, scope)

    def item(self, space: str, key: str, scope: Scope) -> Iterator[str]:
        if space == "sys.modules":
            yield canonical(key)
        elif space == "builtins":
            yield f"builtins.{key}"
        elif space == "<own>.__dict__":
            yield from self.named(key, scope.module())
        elif space.endswith(".__dict__"):
            yield attribute_of(space.removesuffix(".__dict__"), key)

    def call(self, node: ast.Call, scope: Scope) -> Iterator[str]:
        for one in self.of(node.func, scope):
            yield from self.result(as_called(one), node, scope)
        if isinstance(node.func, ast.Call) and BY_ATTRIBUTE & self.of(node.func.func, scope):
            for base, name in itertools.product(self.given(node, 0, scope), self.words(node.func, 0, scope)):
                yield f"{base}.{name}"
        yield from self.returned(node.func, scope)

    def result(self, called: str, node: ast.Call, scope: Scope) -> Iterator[str]:
        if called in GETATTR:
            for base, name in itertools.product(self.given(node, 0, scope), self.words(node, 1, scope)):
                yield attribute_of(base, name)
        elif called in BY_NAME:
            for name in self.words(node, 0, scope):
                yield canonical(name.replace(":", "."))
                if called.endswith("__import__"):
                    yield canonical(name.partition(".")[0])
        elif called == "builtins.vars" and node.args:
            yield from (f"{one}.__dict__" for one in self.given(node, 0, scope))
        elif called in ("builtins.vars", "builtins.globals", "builtins.locals"):
            yield "<own>.__dict__"
        elif called == "builtins.type" and len(node.args) == 1:
            yield from self.type_of(node.args[0], scope)
        elif called == "importlib.reload":
            yield from self.given(node, 0, scope)
        elif called == "functools.partial":
            yield from (PARTIAL + as_called(one) for one in self.given(node, 0, scope))
        elif called in HANDED_ON and node.args:
            yield from self.given(node, 0, scope)
            yield from self.elements(node.args[0], scope)
        elif called.endswith(LOOKUPS):
            for key in self.words(node, 0, scope):
                yield from self.item(called.rpartition(".")[0], key, scope)

    def type_of(self, node: ast.expr, scope: Scope) -> Iterator[str]:
        functions = isinstance(node, ast.Name) and any(one[0] == "function" for one in scope.find(node.id) or ())
        if isinstance(node, ast.Lambda) or functions:
            yield "types.FunctionType"
        elif isinstance(node, ast.Attribute) and node.attr == "__code__":
            yield "types.CodeType"
        else:
            yield from (one for one in self.of(node, scope) if one.startswith("<own>"))

    def returned(self, node: ast.expr, scope: Scope) -> Iterator[str]:
        for function in functions_of(self.walk, node, scope):
            yield from self.result_of(function)

    def given(self, call: ast.Call, place: int, scope: Scope) -> Strings:
        return self.of(call.args[place], scope) if len(call.args) > place else NOTHING

    def words(self, call: ast.Call, place: int, scope: Scope) -> Strings:
        if len(call.args) > place:
            return self.texts(call.args[place], scope)
        named = [given.value for given in call.keywords if given.arg in ("name", "attr")]
        return self.texts(named[0], scope) if named else NOTHING

    def either(self, node: ast.IfExp | ast.BoolOp, scope: Scope) -> Iterator[str]:
        for branch in [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values:
            yield from self.of(branch, scope)

    def same(self, node: ast.NamedExpr | ast.Await | ast.Starred, scope: Scope) -> Iterator[str]:
        yield from self.of(node.value, scope)


TELLERS: dict[type[ast.AST], Act[Names, Iterable[str]]] = {
    **for_kinds(Names.attribute, ast.Attribute),
    **for_kinds(Names.subscript, ast.Subscript),
    **for_kinds(Names.call, ast.Call),
    **for_kinds(Names.either, ast.IfExp, ast.BoolOp),
    **for_kinds(Names.same, ast.NamedExpr, ast.Await, ast.Starred),
}
