"""Walks a file and notes the bindings of its names, scope by scope, and the scope of every expression."""

import ast

from check.scan.scope import OPAQUE, Scope

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FILLERS = {"append", "add", "insert", "extend", "update", "setdefault", "appendleft", "put", "__setitem__"}


class Walk:
    """`seen`: nodes that can mean something, with their scopes, in order. By the id of a node, `callers`: the call that
    it is the callee of, `parents`: the attribute, subscript or comparison around it, `assigned`: the statement that it
    is a target of."""

    def __init__(self, tree):
        self.seen = []
        self.callers = {}
        self.parents = {}
        self.assigned = {}
        self.inner = {}
        self.attributes = {}
        self.methods = {}
        self.fillings = []
        self.module = Scope("module", None)
        self.body(tree.body, self.module)
        for name, node, scope in self.fillings:
            found = scope.find(name)
            if found is not None:
                found.append(("holds", node, scope))

    def visit(self, node, scope):
        act = ACTIONS.get(type(node))
        if act is None:
            self.children(node, scope)
        else:
            act(self, node, scope)

    def children(self, node, scope):
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                self.visit(value, scope)
            elif isinstance(value, list):
                self.all(value, scope)

    def all(self, nodes, scope):
        for node in nodes:
            if isinstance(node, ast.AST):
                self.visit(node, scope)

    def body(self, statements, scope):
        for node in statements:
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):  # prose
                self.visit(node, scope)

    def keep(self, node, scope):
        self.seen.append((node, scope))
        self.children(node, scope)

    def keep_under(self, node, scope):
        self.parents[id(node.value)] = node
        self.keep(node, scope)

    def call(self, node, scope):
        self.callers[id(node.func)] = node
        if isinstance(node.func, ast.Attribute) and node.func.attr in FILLERS:
            self.fill(node.func.value, [*node.args, *(given.value for given in node.keywords)], scope)
        for given in node.keywords:  # `Holder(os=os)`: the arguments of a class become its attributes
            if given.arg is not None and isinstance(given.value, (ast.Name, ast.Attribute)):
                self.attributes.setdefault(given.arg, []).append(("value", given.value, scope))
        self.keep(node, scope)

    def fill(self, holder, values, scope):
        if isinstance(holder, ast.Name):
            self.fillings += [(holder.id, value, scope) for value in values]

    def compare(self, node, scope):
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, (ast.In, ast.NotIn)):
                self.parents[id(right)] = node
        self.keep(node, scope)

    def imports(self, node, scope):
        self.seen.append((node, scope))
        for name, bound in imports_of(node):
            if bound == "*":
                scope.stars.append(name)
            else:
                self.bind_name(bound, ("name", name, None), scope)

    def bind_name(self, name, binding, scope):
        scope.bind(name, binding)
        if scope.kind == "class":
            self.attributes.setdefault(name, []).append(binding)

    def bind(self, target, binding, scope):
        if isinstance(target, ast.Name):
            self.bind_name(target.id, binding, scope)
        elif isinstance(target, ast.Attribute):
            self.attributes.setdefault(target.attr, []).append(binding)
        elif isinstance(target, ast.Subscript):
            self.fill(target.value, [binding[1]] if binding[0] == "value" else [], scope)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, each(binding), scope)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = getattr(binding[1], "elts", None) if binding[0] == "value" else None
            matching = values is not None and len(values) == len(target.elts)
            for place, inner in enumerate(target.elts):
                self.bind(inner, ("value", values[place], binding[2]) if matching else each(binding), scope)

    def add_to(self, node, scope):
        """`name += more` binds the name to a new value made from the old one."""
        if isinstance(node.target, ast.Name):
            whole = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            self.bind_name(node.target.id, ("value", whole, scope), scope)
        self.assigned[id(node.target)] = node
        self.keep(node, scope)

    def assign(self, node, scope):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            self.assigned[id(target)] = node
            self.bind(target, ("value", node.value, scope) if node.value else OPAQUE, scope)
        self.keep(node, scope)

    def loop(self, node, scope):
        self.bind(node.target, ("each", node.iter, scope), scope)
        self.visit(node.target, scope)
        self.visit(node.iter, scope)
        self.body(node.body, scope)
        self.body(node.orelse, scope)

    def with_items(self, node, scope):
        for item in node.items:
            self.visit(item.context_expr, scope)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, OPAQUE, scope)
                self.visit(item.optional_vars, scope)
        self.body(node.body, scope)

    def handler(self, node, scope):
        if node.name:
            scope.bind(node.name, OPAQUE)
        if node.type is not None:
            self.visit(node.type, scope)
        self.body(node.body, scope)

    def condition(self, node, scope):
        self.visit(node.test, scope)
        main = scope.kind == "module" and "__main__" in ast.dump(node.test)
        self.body(node.body, scope.for_main() if main else scope)
        self.body(node.orelse, scope)

    def blocks(self, node, scope):
        if isinstance(node, ast.While):
            self.visit(node.test, scope)
        for field in ("body", "handlers", "orelse", "finalbody"):
            self.body(getattr(node, field, ()), scope)

    def matching(self, node, scope):
        self.visit(node.subject, scope)
        for case in node.cases:
            for inner in ast.walk(case.pattern):
                if isinstance(inner, (ast.MatchAs, ast.MatchStar)) and inner.name:
                    scope.bind(inner.name, ("value", node.subject, scope))
                    scope.bind(inner.name, ("each", node.subject, scope))
            self.case(case, scope)

    def case(self, node, scope):
        for inner in ast.walk(node.pattern):
            name = getattr(inner, "name", None) or getattr(inner, "rest", None)
            if isinstance(name, str):
                scope.bind(name, OPAQUE)
        self.visit(node.pattern, scope)
        if node.guard is not None:
            self.visit(node.guard, scope)
        self.body(node.body, scope)

    def function(self, node, scope):
        self.seen.append((node, scope))
        inner = Scope("function", scope, getattr(node, "name", "<lambda>"))
        self.all(getattr(node, "decorator_list", ()), scope)
        self.visit_parameters(node, scope, inner)
        if isinstance(node, ast.Lambda):
            inner.returns.append(node.body)
            self.inner[id(node)] = inner
            self.visit(node.body, inner)
            return
        self.bind_name(node.name, ("function", inner, None), scope)
        self.methods.setdefault(node.name, []).append(inner)
        if node.returns is not None:
            self.visit(node.returns, scope)
        self.body(node.body, inner)

    def visit_parameters(self, node, scope, inner):
        given = node.args
        plain = [*given.posonlyargs, *given.args]
        for argument in [*plain, *given.kwonlyargs, given.vararg, given.kwarg]:
            if argument is not None:
                inner.bind(argument.arg, OPAQUE)
                if argument.annotation is not None:
                    self.visit(argument.annotation, scope)
        inner.parameters = [argument.arg for argument in plain]
        inner.rest = [argument.arg for argument in (given.vararg, given.kwarg) if argument is not None]
        pairs = [*zip(reversed(plain), reversed(given.defaults)), *zip(given.kwonlyargs, given.kw_defaults)]
        for argument, default in pairs:
            if default is not None:
                inner.bind(argument.arg, ("value", default, scope))
                self.visit(default, scope)
        static = any(getattr(one, "id", "") == "staticmethod" for one in getattr(node, "decorator_list", ()))
        if scope.kind == "class" and plain and not static:
            inner.names[plain[0].arg] = [("class", scope, None)]
            inner.parameters = inner.parameters[1:]

    def class_body(self, node, scope):
        self.all([*node.decorator_list, *node.bases, *node.keywords], scope)
        self.seen.append((node, scope))
        inner = Scope("class", scope, node.name)
        self.bind_name(node.name, ("class", inner, None), scope)
        self.body(node.body, inner)

    def comprehension(self, node, scope):
        inner = Scope("comprehension", scope, scope.name)
        for part in node.generators:
            self.bind(part.target, ("each", part.iter, inner), inner)
        self.children(node, inner)
        return inner

    def shared(self, node, scope):
        for name in node.names:
            outer = scope.module() if isinstance(node, ast.Global) else scope.parent
            found = outer.find(name) if outer else None
            scope.names[name] = outer.names.setdefault(name, []) if found is None else found

    def returned(self, node, scope):
        if node.value is not None:
            owner = scope
            while owner.kind == "comprehension":
                owner = owner.parent
            owner.returns.append(node.value)
            self.keep(node, scope)

    def element(self, node, scope):
        inner = self.comprehension(node, scope)
        inner.returns.append(node.elt)
        self.inner[id(node)] = inner


def each(binding):
    return ("each", binding[1], binding[2]) if binding[0] == "value" else OPAQUE


def imports_of(node):
    """Pairs of what is imported, with the dots of a relative import, and the name that stands for it."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (alias.name, alias.asname) if alias.asname else (alias.name.partition(".")[0],) * 2
        return
    start = "." * node.level + (node.module or "")
    for alias in node.names:
        if alias.name == "*":
            yield start, "*"
        else:
            yield f"{start}.{alias.name}", alias.asname or alias.name


ACTIONS = {
    **dict.fromkeys((ast.Name, ast.Constant), lambda walk, node, scope: walk.seen.append((node, scope))),
    **dict.fromkeys((ast.Attribute, ast.Subscript), Walk.keep_under),
    **dict.fromkeys((ast.JoinedStr,), Walk.keep),
    **dict.fromkeys((ast.Import, ast.ImportFrom), Walk.imports),
    **dict.fromkeys((ast.Assign, ast.AnnAssign, ast.NamedExpr), Walk.assign),
    **dict.fromkeys((ast.For, ast.AsyncFor), Walk.loop),
    **dict.fromkeys((ast.With, ast.AsyncWith), Walk.with_items),
    **dict.fromkeys((*FUNCTIONS, ast.Lambda), Walk.function),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp), Walk.element),
    ast.DictComp: Walk.comprehension,
    **dict.fromkeys((ast.Global, ast.Nonlocal), Walk.shared),
    **dict.fromkeys((ast.Try, getattr(ast, "TryStar", ast.Try), ast.While), Walk.blocks),
    ast.AugAssign: Walk.add_to,
    ast.Call: Walk.call,
    ast.Compare: Walk.compare,
    ast.ExceptHandler: Walk.handler,
    ast.If: Walk.condition,
    ast.Match: Walk.matching,
    ast.ClassDef: Walk.class_body,
    **dict.fromkeys((ast.Return, ast.Yield, ast.YieldFrom), Walk.returned),
}
