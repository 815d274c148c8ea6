"""Lists the tests that have to turn up in the report for a staged file, told from its syntax tree alone."""

import ast
import itertools
from collections import namedtuple

CASES = {"TestCase", "IsolatedAsyncioTestCase"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)

# A test function and the classes around it with their ancestors; node: None for a class whose tests stand elsewhere;
# sure: False if it depends on a base class from another file whether this is a test
Test = namedtuple("Test", ["id", "node", "classes", "sure"], defaults=[True])


def expected_of(path, source):
    """`many`: an unknown number of ids begin like this one; `count`: so many ids do, whatever they end in."""
    try:
        module = ast.parse(source)
    except UNREADABLE:
        return [any_of(path)]
    found = Module(path, module).tests()
    return found or [any_of(path)]


def any_of(prefix):
    return {"id": prefix, "many": True}


class Module:
    def __init__(self, path, module):
        self.path = path
        self.scope = names_of(module.body)
        self.imported = {alias.asname: alias.name for alias in imported_from("unittest", module)}
        self.fixtures = {
            name: fixture
            for node in ast.walk(module)
            if isinstance(node, FUNCTIONS) and (fixture := fixture_of(node))
            for name in [node.name, fixture_name(fixture)]
        }
        autouse = any(keyword(fixture, "autouse") and parametrised(fixture) for fixture in self.fixtures.values())
        self.open_ended = autouse or "pytest_generate_tests" in self.scope or marked(module.body)

    def tests(self):
        return [one for test in self.functions() if test.sure for one in self.ids_of(test)]

    def functions(self):
        found = []
        for name, node in self.scope.items():
            if isinstance(node, FUNCTIONS) and name.startswith("test") and is_test(node, self.scope):
                found.append(Test(f"{self.path}::{name}", node, ()))
            elif isinstance(node, ast.ClassDef) and is_test(node, self.scope):
                found += self.of_class(f"{self.path}::{name}", node, self.scope, ())
        return found

    def of_class(self, prefix, node, scope, around):
        lineage, foreign = self.lineage(node, scope)
        unittest = any(base in CASES for base in foreign)
        sure = unittest or (node.name.startswith("Test") and not constructed(lineage))
        if not sure and not foreign - {"object"}:
            return []
        body = {}
        for ancestor in reversed(lineage):
            body.update(names_of(ancestor.body))
        if isinstance(body.get("__test__"), ast.Assign):
            return []
        around = (*around, *lineage)
        found = []
        for name, inner in body.items():
            if isinstance(inner, FUNCTIONS) and name.startswith("test") and not fixture_of(inner):
                found.append(Test(f"{prefix}::{name}", inner, around, sure))
            elif isinstance(inner, ast.ClassDef) and sure and not unittest:
                found += self.of_class(f"{prefix}::{name}", inner, body, around)
        if sure and not found and (foreign - CASES - {"object"} or isinstance(body.get("runTest"), FUNCTIONS)):
            return [Test(prefix, None, around)]
        return found

    def lineage(self, node, scope, depth=20):
        """The class with its ancestors of this file, nearest first, and the names of those from elsewhere."""
        lineage, foreign = [node], set()
        for base in node.bases:
            name = last_name(base)
            known = scope.get(name) or self.scope.get(name)
            if isinstance(known, ast.Assign):
                name = last_name(known.value)
            if isinstance(known, ast.ClassDef) and known is not node and depth:
                more, others = self.lineage(known, scope, depth - 1)
                lineage += more
                foreign |= others
            else:
                foreign.add(self.imported.get(name, name))
        return lineage, foreign

    def ids_of(self, test):
        name, node = test.id, test.node
        if node is None:
            return [any_of(name)]
        marks = any(parametrisations(around) or marked(around.body) for around in test.classes)
        calls = parametrisations(node)
        taken = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
        own = {argument for call in calls for argument in argument_names(call)}
        by_fixture = any(
            parametrised(self.fixtures[name]) for name in taken if name in self.fixtures and name not in own
        )
        if self.open_ended or marks or by_fixture:
            return [any_of(name)]
        if not calls:
            return [{"id": name, "many": False}]
        ids = [ids_of(call) for call in reversed(calls)]
        if any(part is None for part in ids):
            return [any_of(name)]
        if any(None in part for part in ids) or any(len(set(part)) < len(part) for part in ids):
            count = 1
            for part in ids:
                count *= len(part)
            return [{"id": name, "many": True, "count": count}]
        return [{"id": f"{name}[{'-'.join(combined)}]", "many": False} for combined in itertools.product(*ids)]


def last_name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def imported_from(name, module):
    nodes = [node for node in ast.walk(module) if isinstance(node, ast.ImportFrom) and node.module == name]
    return [alias for node in nodes for alias in node.names]


def names_of(body):
    """The final binding of each name in a body, as far as it does not depend on a condition."""
    names = {}
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            names[node.name] = node
        elif isinstance(node, ast.Assign):
            names.update({name: node for target in node.targets for name in bound(target)})
        elif isinstance(node, ast.Try):
            names.update(names_of([*node.body, *node.orelse, *node.finalbody]))
        elif isinstance(node, ast.With):
            names.update(names_of(node.body))
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                names.pop(getattr(target, "id", None), None)
    return names


def bound(target):
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Attribute) and target.attr == "__test__" and isinstance(target.value, ast.Name):
        return [f"{target.value.id}.__test__"]
    return [name for inner in getattr(target, "elts", []) for name in bound(inner)]


def is_test(node, scope):
    return f"{node.name}.__test__" not in scope and not fixture_of(node)


def constructed(lineage):
    return any(name in names_of(node.body) for node in lineage for name in ("__init__", "__new__"))


def decorator_name(node):
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def fixture_of(node):
    return next((given for given in node.decorator_list if decorator_name(given) == "fixture"), None)


def fixture_name(fixture):
    named = keyword(fixture, "name")
    return named.value if isinstance(named, ast.Constant) else None


def keyword(call, name):
    return next((given.value for given in getattr(call, "keywords", []) if given.arg == name), None)


def parametrised(fixture):
    return keyword(fixture, "params") is not None


def parametrisations(node):
    """The parametrize decorators from top to bottom."""
    return [given for given in node.decorator_list if decorator_name(given) == "parametrize"]


def marked(body):
    found = names_of(body).get("pytestmark")
    return found is not None and "parametrize" in ast.dump(found)


def argument_names(call):
    given = call.args[0] if isinstance(call, ast.Call) and call.args else keyword(call, "argnames")
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return [name.strip() for name in given.value.split(",") if name.strip()]
    if isinstance(given, (ast.List, ast.Tuple)):
        return [item.value for item in given.elts if isinstance(item, ast.Constant)]
    return []


def ids_of(call):
    """An id for each set of parameters, None for an id that only a run can tell; None for the whole if the values are
    no literal list."""
    if not isinstance(call, ast.Call):
        return None
    names = argument_names(call)
    values = call.args[1] if len(call.args) > 1 else keyword(call, "argvalues")
    if not names or not isinstance(values, (ast.List, ast.Tuple)) or not values.elts:
        return None
    if any(isinstance(item, ast.Starred) for item in values.elts):
        return None
    given = keyword(call, "ids")
    if given is not None:
        texts = [text_id(item) for item in getattr(given, "elts", [])]
        return texts if len(texts) == len(values.elts) else [None] * len(values.elts)
    return [id_of_set(item, len(names)) for item in values.elts]


def id_of_set(item, width):
    parts = [item] if width == 1 else getattr(item, "elts", None)
    if isinstance(item, ast.Call) and decorator_name(item) == "param":
        named = keyword(item, "id")
        if named is not None:
            return text_id(named)
        parts = item.args
    texts = [text_id(part) for part in parts or [None]]
    return None if None in texts or len(texts) != width else "-".join(texts)


def text_id(node):
    """The id as pytest writes it, for values that all its versions spell alike; None for others."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        return str(-number) if type(number) in (int, float) else None
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, str):
        plain = node.value.isascii() and node.value.isprintable() and "\\" not in node.value
        return node.value if plain else None
    return str(node.value) if node.value is None or type(node.value) in (int, float, bool) else None
