"""Walks a file and notes the bindings of its names, scope by scope, and the scope of every expression."""

from __future__ import annotations

import ast

from check.scan.names.bindings import Bindings, bind_parameters, bind_pattern, decorators_of
from check.scan.names.by_kind import for_kinds
from check.scan.names.scope import OPAQUE, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from check.scan.names.bindings import Function
    from check.scan.names.by_kind import Act

    Seen = ast.expr | ast.stmt
    # what a field of a node can hold, where it is looked into
    Field = ast.AST | list[ast.AST | str | None] | str | int | None


class Walk:
    """`seen`: nodes that can mean something, with their scopes, in order. `functions`: the scopes of functions by name.
    By the id of a node, `callers`: the call that it is the callee of, `parents`: the attribute, subscript or comparison
    around it, `assigned`: the statement that it is a target of, `inner`: the scope that it opens."""

    def __init__(self, tree: ast.Module) -> None:
        self.seen: list[tuple[Seen, Scope]] = []
        self.callers: dict[int, ast.Call] = {}
        self.parents: dict[int, ast.Attribute | ast.Subscript | ast.Compare] = {}
        self.assigned: dict[int, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr] = {}
        self.inner: dict[int, Scope] = {}
        self.functions: dict[str, list[Scope]] = {}
        self.bindings = Bindings()
        self.body(tree.body, Scope("module", None))
        self.bindings.add_fillings()

    def visit(self, node: ast.AST, scope: Scope) -> None:
        act = ACTIONS.get(type(node))
        if act is None:
            self.children(node, scope)
        else:
            act(self, node, scope)

    def children(self, node: ast.AST, scope: Scope) -> None:
        for field in node._fields:
            value: Field = getattr(node, field, None)
            if isinstance(value, ast.AST):
                self.visit(value, scope)
            elif isinstance(value, list):
                self.all(value, scope)

    def all(self, nodes: Iterable[ast.AST | str | None], scope: Scope) -> None:
        for node in nodes:
            if isinstance(node, ast.AST):
                self.visit(node, scope)

    def body(self, statements: Iterable[ast.AST], scope: Scope) -> None:
        for node in statements:
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):  # prose
                self.visit(node, scope)

    def note(self, node: Seen, scope: Scope) -> None:
        self.seen.append((node, scope))

    def keep(self, node: Seen, scope: Scope) -> None:
        self.seen.append((node, scope))
        self.children(node, scope)

    def keep_under(self, node: ast.Attribute | ast.Subscript, scope: Scope) -> None:
        self.parents[id(node.value)] = node
        self.keep(node, scope)

    def call(self, node: ast.Call, scope: Scope) -> None:
        self.callers[id(node.func)] = node
        self.bindings.call(node, scope)
        self.keep(node, scope)

    def compare(self, node: ast.Compare, scope: Scope) -> None:
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, (ast.In, ast.NotIn)):
                self.parents[id(right)] = node
        self.keep(node, scope)

    def imports(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        self.seen.append((node, scope))
        self.bindings.imports(node, scope)

    def add_to(self, node: ast.AugAssign, scope: Scope) -> None:
        """`name += more` binds the name to a new value made from the old one."""
        if isinstance(node.target, ast.Name):
            whole = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            self.bindings.name(node.target.id, ("value", whole, scope), scope)
        self.assigned[id(node.target)] = node
        self.keep(node, scope)

    def assign(self, node: ast.Assign | ast.AnnAssign | ast.NamedExpr, scope: Scope) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            self.assigned[id(target)] = node
            self.bindings.target(target, ("value", node.value, scope) if node.value else OPAQUE, scope)
        self.keep(node, scope)

    def loop(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        self.bindings.target(node.target, ("each", node.iter, scope), scope)
        self.visit(node.target, scope)
        self.visit(node.iter, scope)
        self.body(node.body, scope)
        self.body(node.orelse, scope)

    def with_items(self, node: ast.With | ast.AsyncWith, scope: Scope) -> None:
        for item in node.items:
            self.visit(item.context_expr, scope)
            if item.optional_vars is not None:
                self.bindings.target(item.optional_vars, OPAQUE, scope)
                self.visit(item.optional_vars, scope)
        self.body(node.body, scope)

    def handler(self, node: ast.ExceptHandler, scope: Scope) -> None:
        if node.name:
            scope.bind(node.name, OPAQUE)
        if node.type is not None:
            self.visit(node.type, scope)
        self.body(node.body, scope)

    def condition(self, node: ast.If, scope: Scope) -> None:
        self.visit(node.test, scope)
        main = scope.kind == "module" and "__main__" in ast.dump(node.test)
        self.body(node.body, scope.for_main() if main else scope)
        self.body(node.orelse, scope)

    def blocks(self, node: ast.Try | ast.TryStar | ast.While, scope: Scope) -> None:
        if isinstance(node, ast.While):
            self.visit(node.test, scope)
        for field in ("body", "handlers", "orelse", "finalbody"):
            self.body(getattr(node, field, ()), scope)

    def matching(self, node: ast.Match, scope: Scope) -> None:
        self.visit(node.subject, scope)
        for case in node.cases:
            bind_pattern(case.pattern, node.subject, scope)
            self.visit(case.pattern, scope)
            if case.guard is not None:
                self.visit(case.guard, scope)
            self.body(case.body, scope)

    def function(self, node: Function, scope: Scope) -> None:
        self.seen.append((node, scope))
        inner = Scope("function", scope, getattr(node, "name", "<lambda>"))
        self.all(decorators_of(node), scope)
        self.all(bind_parameters(node, scope, inner), scope)
        if isinstance(node, ast.Lambda):
            inner.returns.append(node.body)
            self.inner[id(node)] = inner
            self.visit(node.body, inner)
            return
        self.bindings.name(node.name, ("function", inner, None), scope)
        self.functions.setdefault(node.name, []).append(inner)
        if node.returns is not None:
            self.visit(node.returns, scope)
        self.body(node.body, inner)

    def class_body(self, node: ast.ClassDef, scope: Scope) -> None:
        self.all([*node.decorator_list, *node.bases, *node.keywords], scope)
        self.seen.append((node, scope))
        inner = Scope("class", scope, node.name)
        self.bindings.name(node.name, ("class", inner, None), scope)
        self.body(node.body, inner)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope) -> Scope:
        inner = Scope("comprehension", scope, scope.name)
        for part in node.generators:
            self.bindings.target(part.target, ("each", part.iter, inner), inner)
        self.children(node, inner)
        return inner

    def element(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> None:
        inner = self.comprehension(node, scope)
        inner.returns.append(node.elt)
        self.inner[id(node)] = inner

    def shared(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        for name in node.names:
            outer = scope.module() if isinstance(node, ast.Global) else scope.parent
            found = outer.find(name) if outer else None
            if found is None:
                # Python runs no file with a `nonlocal` outside of functions; here it has no outer scope and is refused
                found = outer.names.setdefault(name, [])  # pyright: ignore[reportOptionalMemberAccess]
            scope.names[name] = found

    def returned(self, node: ast.Return | ast.Yield | ast.YieldFrom, scope: Scope) -> None:
        if node.value is not None:
            scope.owner().returns.append(node.value)
            self.keep(node, scope)


ACTIONS: dict[type[ast.AST], Act[Walk, object]] = {
    **for_kinds(Walk.note, ast.Name, ast.Constant),
    **for_kinds(Walk.keep_under, ast.Attribute, ast.Subscript),
    **for_kinds(Walk.keep, ast.JoinedStr),
    **for_kinds(Walk.call, ast.Call),
    **for_kinds(Walk.compare, ast.Compare),
    **for_kinds(Walk.imports, ast.Import, ast.ImportFrom),
    **for_kinds(Walk.add_to, ast.AugAssign),
    **for_kinds(Walk.assign, ast.Assign, ast.AnnAssign, ast.NamedExpr),
    **for_kinds(Walk.loop, ast.For, ast.AsyncFor),
    **for_kinds(Walk.with_items, ast.With, ast.AsyncWith),
    **for_kinds(Walk.handler, ast.ExceptHandler),
    **for_kinds(Walk.condition, ast.If),
    **for_kinds(Walk.blocks, ast.Try, getattr(ast, "TryStar", ast.Try), ast.While),
    **for_kinds(Walk.matching, ast.Match),
    **for_kinds(Walk.function, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda),
    **for_kinds(Walk.class_body, ast.ClassDef),
    **for_kinds(Walk.comprehension, ast.DictComp),
    **for_kinds(Walk.element, ast.ListComp, ast.SetComp, ast.GeneratorExp),
    **for_kinds(Walk.shared, ast.Global, ast.Nonlocal),
    **for_kinds(Walk.returned, ast.Return, ast.Yield, ast.YieldFrom),
}
