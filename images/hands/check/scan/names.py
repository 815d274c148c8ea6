"""Tells what an expression stands for, as far as a syntax tree shows: `os._exit` under whatever name and by whatever
road. Nothing is run or imported; where several things are possible, it stands for each of them."""

import ast
import builtins
import itertools

from check.scan.texts import Texts

MOST = 16
BUILTINS = {name: frozenset({f"builtins.{name}"}) for name in dir(builtins)}
BUILTINS["__builtins__"] = frozenset({"builtins"})
GETATTR = {"builtins.getattr", "inspect.getattr_static", "builtins.object.__getattribute__"}
BY_ATTRIBUTE = {"operator.attrgetter", "operator.methodcaller"}
BY_NAME = {
    *["builtins.__import__", "importlib.import_module", "importlib.__import__", "pkgutil.resolve_name"],
    *["pydoc.locate", "pydoc.safeimport", "pytest.importorskip"],
}
PASSED = (ast.Name, ast.Attribute, ast.Constant)
HANDED_ON = {f"builtins.{name}" for name in "next iter list tuple sorted reversed set min max".split()}
PARTIAL = "<partial>"  # marks a partial: called like the function, but an object of its own
LOOKUPS = (".get", ".pop", ".setdefault", ".__getitem__")
NOTHING = frozenset()
SAME_MODULE = {
    **{"posix": "os", "nt": "os", "_operator": "operator", "_pickle": "pickle", "cPickle": "pickle", "_io": "io"},
    **{"_ctypes": "ctypes", "_signal": "signal", "_json": "json", "_datetime": "datetime", "_random": "random"},
    **{"_imp": "imp", "_frozen_importlib": "importlib", "_frozen_importlib_external": "importlib.machinery"},
    "__builtin__": "builtins",
}


class Names:
    def __init__(self, walk):
        self.walk = walk
        self.spelling = Texts(walk)
        self.texts = self.spelling.texts
        self.known = {}
        self.lists = {}
        self.pass_arguments()

    def pass_arguments(self):
        """Binds the parameters of functions in this file to the arguments that they are called with."""
        for node, scope in self.walk.seen:
            if isinstance(node, ast.Call):
                for inner in self.functions_of(node.func, scope):
                    pairs = [*zip(inner.parameters, node.args), *((given.arg, given.value) for given in node.keywords)]
                    for name, value in pairs:
                        if name in inner.names and isinstance(value, PASSED):
                            inner.bind(name, ("value", value, scope))
                    for name in inner.rest:
                        inner.names[name] += [("holds", value, scope) for _, value in pairs] if pairs else []
                        inner.names[name] += [("holds", value, scope) for value in node.args]

    def functions_of(self, node, scope):
        """Functions of this file that a callee may be."""
        if isinstance(node, ast.Attribute):
            return self.walk.methods.get(node.attr, ())
        if isinstance(node, ast.Lambda):
            return [self.walk.inner[id(node)]]
        bindings = scope.find(node.id) or () if isinstance(node, ast.Name) else ()
        lambdas = [self.walk.inner[id(what)] for kind, what, _ in bindings if isinstance(what, ast.Lambda)]
        return [what for kind, what, _ in bindings if kind == "function"] + lambdas

    def of(self, node, scope):
        kind = type(node)
        if kind is ast.Name:
            return self.named(node.id, scope)
        tell = TELLERS.get(kind)
        return self.once(node, tell, self, node, scope) if tell else NOTHING

    def named(self, name, scope):
        bindings = scope.find(name)
        if bindings is not None:
            return self.once(bindings, self.all_bound, bindings)
        if name in BUILTINS:
            return BUILTINS[name]
        return frozenset(f"{module}.{name}" for module in scope.stars)

    def once(self, key, tell, *given):
        """Works out each key once. While it is being worked out it stands for nothing, so that a cycle ends."""
        found = self.known.get(id(key))
        if found is None:
            self.known[id(key)] = NOTHING
            found = self.known[id(key)] = frozenset(itertools.islice(tell(*given), MOST))
        return found

    def all_bound(self, bindings, properties=False):
        for binding in bindings:
            yield from self.bound(binding)
            if properties and binding[0] == "function":
                yield from self.result_of(binding[1])

    def result_of(self, function):
        return self.once(function, self.all_returned, function)

    def all_returned(self, function):
        for value in function.returns:
            yield from self.of(value, function)
            yield from self.elements(value, function)

    def bound(self, binding):
        kind, what, scope = binding
        self.spelling.spend()
        if kind == "name":
            yield canonical(what)
        elif kind == "class":
            yield what.path()
        elif kind == "value":
            yield from self.of(what, scope)
        elif kind == "each":
            yield from self.elements(what, scope)

    def elements(self, node, scope):
        bindings = scope.find(node.id) if isinstance(node, ast.Name) else None
        return self.listed(bindings, node, scope) if bindings else self.all_elements(node, scope)

    def listed(self, bindings, node, scope):
        found = self.lists.get(id(bindings))
        if found is None:
            self.lists[id(bindings)] = NOTHING
            found = self.lists[id(bindings)] = frozenset(itertools.islice(self.all_elements(node, scope), MOST))
        return found

    def all_elements(self, node, scope):
        inner = self.walk.inner.get(id(node))
        if inner is not None:
            for value in inner.returns:
                yield from self.of(value, inner)
        for inner, its in self.spelling.parts(node, scope):
            yield from self.of(inner, its)

    def attribute(self, node, scope):
        found = self.of(node.value, scope)
        for one in found:
            yield attribute_of(one, node.attr)
        if all(one.startswith("<own>") for one in found):
            stored = self.walk.attributes.get(node.attr)
            if stored:
                yield from self.once(stored, self.all_bound, stored, True)

    def subscript(self, node, scope):
        base = self.of(node.value, scope)
        for key in self.texts(node.slice, scope) if base else ():
            for one in base:
                yield from self.item(one, key, scope)
        yield from self.elements(node.value, scope)

    def item(self, space, key, scope):
        if space == "sys.modules":
            yield canonical(key)
        elif space == "builtins":
            yield f"builtins.{key}"
        elif space == "<own>.__dict__":
            yield from self.named(key, scope.module())
        elif space.endswith(".__dict__"):
            yield attribute_of(space.removesuffix(".__dict__"), key)

    def call(self, node, scope):
        for one in self.of(node.func, scope):
            yield from self.result(as_called(one), node, scope)
        if isinstance(node.func, ast.Call) and BY_ATTRIBUTE & self.of(node.func.func, scope):
            for base, name in itertools.product(self.given(node, 0, scope), self.words(node.func, 0, scope)):
                yield f"{base}.{name}"
        yield from self.returned(node.func, scope)

    def result(self, called, node, scope):
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

    def type_of(self, node, scope):
        functions = isinstance(node, ast.Name) and any(kind == "function" for kind, *_ in scope.find(node.id) or ())
        if isinstance(node, ast.Lambda) or functions:
            yield "types.FunctionType"
        elif isinstance(node, ast.Attribute) and node.attr == "__code__":
            yield "types.CodeType"
        else:
            yield from (one for one in self.of(node, scope) if one.startswith("<own>"))

    def returned(self, node, scope):
        for function in self.functions_of(node, scope):
            yield from self.result_of(function)

    def given(self, call, place, scope):
        return self.of(call.args[place], scope) if len(call.args) > place else NOTHING

    def words(self, call, place, scope):
        if len(call.args) > place:
            return self.texts(call.args[place], scope)
        named = [given.value for given in call.keywords if given.arg in ("name", "attr")]
        return self.texts(named[0], scope) if named else NOTHING

    def either(self, node, scope):
        branches = [node.body, node.orelse] if isinstance(node, ast.IfExp) else getattr(node, "values", [])
        for branch in branches or [node.value]:
            yield from self.of(branch, scope)


def canonical(name):
    """The same spelling for different names of one module."""
    top, dot, rest = name.partition(".")
    return SAME_MODULE.get(top, top) + dot + rest


def as_called(name):
    return name.removeprefix(PARTIAL)


def attribute_of(base, name):
    if base.startswith(PARTIAL):
        return as_called(base) if name == "func" else f"{base}.{name}"
    if name == "__builtins__" or (name == "__self__" and base.startswith("builtins.")):
        return "builtins"
    if name == "__class__" and base.startswith("<own>"):
        return base
    return f"{base}.{name}"


TELLERS = {
    ast.Attribute: Names.attribute,
    ast.Subscript: Names.subscript,
    ast.Call: Names.call,
    **dict.fromkeys((ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await, ast.Starred), Names.either),
}
