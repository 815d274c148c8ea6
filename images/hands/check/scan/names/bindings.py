"""Binds what the lines of a file bind: names and parameters in their scope, attributes by their names alone, and what is
put into containers."""

from __future__ import annotations

import ast

from check.scan.names.scope import OPAQUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from check.scan.names.scope import Binding, Scope

    Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

FILLERS = {"append", "add", "insert", "extend", "update", "setdefault", "appendleft", "put", "__setitem__"}


class Bindings:
    """`attributes`: what is bound to an attribute of that name, of whatever object. `fillings`: what is put into a name
    of a scope."""

    def __init__(self) -> None:
        self.attributes: dict[str, list[Binding]] = {}
        self.fillings: list[tuple[str, ast.expr, Scope]] = []

    def name(self, name: str, binding: Binding, scope: Scope) -> None:
        scope.bind(name, binding)
        if scope.kind == "class":
            self.attribute(name, binding)

    def attribute(self, name: str, binding: Binding) -> None:
        self.attributes.setdefault(name, []).append(binding)

    def imports(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for name, bound in imports_of(node):
            if bound == "*":
                scope.stars.append(name)
            else:
                self.name(bound, ("name", name, None), scope)

    def call(self, node: ast.Call, scope: Scope) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in FILLERS:
            self.fill(node.func.value, [*node.args, *(given.value for given in node.keywords)], scope)
        for given in node.keywords:  # `Holder(os=os)`: the arguments of a class become its attributes
            if given.arg is not None and isinstance(given.value, (ast.Name, ast.Attribute)):
                self.attribute(given.arg, ("value", given.value, scope))

    def fill(self, holder: ast.expr, values: Iterable[ast.expr], scope: Scope) -> None:
        if isinstance(holder, ast.Name):
            self.fillings += [(holder.id, value, scope) for value in values]

    def add_fillings(self) -> None:
        """Binds what was put into names, once all that binds them is known."""
        for name, node, scope in self.fillings:
            found = scope.find(name)
            if found is not None:
                found.append(("holds", node, scope))

    def target(self, target: ast.expr, binding: Binding, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            self.name(target.id, binding, scope)
        elif isinstance(target, ast.Attribute):
            self.attribute(target.attr, binding)
        elif isinstance(target, ast.Subscript):
            self.fill(target.value, [binding[1]] if binding[0] == "value" else [], scope)
        elif isinstance(target, ast.Starred):
            self.target(target.value, each(binding), scope)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for inner, element in zip(target.elts, elements(binding, len(target.elts)), strict=True):
                self.target(inner, element, scope)


def elements(binding: Binding, count: int) -> list[Binding]:
    """The elements one by one if they are written out, else any of them for each."""
    if binding[0] == "value":
        values: list[ast.expr] | None = getattr(binding[1], "elts", None)
        if values is not None and len(values) == count:
            return [("value", value, binding[2]) for value in values]
    return [each(binding)] * count


def each(binding: Binding) -> Binding:
    return ("each", binding[1], binding[2]) if binding[0] == "value" else OPAQUE


def bind_pattern(pattern: ast.pattern, subject: ast.expr, scope: Scope) -> None:
    for inner in ast.walk(pattern):
        if isinstance(inner, (ast.MatchAs, ast.MatchStar)) and inner.name:
            scope.bind(inner.name, ("value", subject, scope))
            scope.bind(inner.name, ("each", subject, scope))
    for inner in ast.walk(pattern):
        name = getattr(inner, "name", None) or getattr(inner, "rest", None)
        if isinstance(name, str):
            scope.bind(name, OPAQUE)


def decorators_of(node: Function) -> list[ast.expr]:
    return [] if isinstance(node, ast.Lambda) else node.decorator_list


def bind_parameters(node: Function, scope: Scope, inner: Scope) -> list[ast.expr]:
    """Gives the annotations and defaults, which belong to the scope around."""
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    rest = [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    named = [*plain, *given.kwonlyargs, *rest]
    for argument in named:
        inner.bind(argument.arg, OPAQUE)
    inner.parameters = [argument.arg for argument in plain]
    inner.rest = [argument.arg for argument in rest]
    pairs = [*zip(reversed(plain), reversed(given.defaults)), *zip(given.kwonlyargs, given.kw_defaults)]
    defaults = [(argument, default) for argument, default in pairs if default is not None]
    for argument, default in defaults:
        inner.bind(argument.arg, ("value", default, scope))
    if scope.kind == "class" and plain and not is_static(node):
        inner.names[plain[0].arg] = [("class", scope, None)]
        inner.parameters = inner.parameters[1:]
    annotations = [argument.annotation for argument in named if argument.annotation is not None]
    return [*annotations, *(default for _, default in defaults)]


def is_static(node: Function) -> bool:
    return any(getattr(one, "id", "") == "staticmethod" for one in decorators_of(node))


def imports_of(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Pairs of what is imported, with the dots of a relative import, and the name that stands for it."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            yield (alias.name, alias.asname) if alias.asname else (top, top)
        return
    start = "." * node.level + (node.module or "")
    for alias in node.names:
        if alias.name == "*":
            yield start, "*"
        else:
            yield f"{start}.{alias.name}", alias.asname or alias.name
