"""Finds the assertions of a test file, and tells from its syntax tree alone whether each can be made false fairly."""

import ast

from check.project.found import run_coroutines

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
LAZY = (ast.Lambda, ast.GeneratorExp)
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
EXPECTING = {"raises", "warns", "assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex"}
CATCHING = EXPECTING | {"suppress", "RaisesGroup", "RaisesExc", "deprecated_call", "assertLogs", "assertNoLogs"}
LEFT_OUT_MARKS = {"skip", "xfail", "expectedFailure"}
FAILURES = {"AssertionError", "Exception", "BaseException", "failureException"}
METHODS = {
    f"assert{name}"
    for name in """Equal NotEqual True False Is IsNot IsNone IsNotNone In NotIn IsInstance NotIsInstance Greater
    GreaterEqual Less LessEqual AlmostEqual NotAlmostEqual Regex NotRegex CountEqual ListEqual TupleEqual SetEqual
    DictEqual SequenceEqual MultiLineEqual""".split()
}
ONE_SIDED = {"assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone"}


def sites_of(path, source, catchers=()):
    """The assertions in their order. `catchers`: the names that `catchers_in` finds in files that this one loads."""
    try:
        found = File(path, ast.parse(source), catchers).sites
    except UNREADABLE:
        return []
    return [{"id": site.id, "test": site.test, "unfair": site.unfair} for site in found]


class Site:
    """`kind`: a `condition` stands in an assert statement, the others are calls. An `expected` exception is the call's
    first argument; a `method` is unittest's; there is no known way to make a plain `call` false."""

    def __init__(self, file, kind, node, where, at):
        self.file = file
        self.kind = kind
        self.node = node
        self.where = where
        self.id = f"{file.path}:{at.lineno}:{at.col_offset}"
        self.test = where.test
        self.unfair = where.unfair or (UNKNOWN if kind == "call" else None) or self.used_later()
        self.strayed = False
        self.alone = True

    def used_later(self):
        """`SE = raises(Error)` above the tests, or among their parameters: nobody knows which of them it is for."""
        return "made before any test runs" if self.kind == "expected" and self.where.function is None else None


UNKNOWN = "no known way to make it false"


class Where:
    """The surroundings of a node."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.test = None
        self.function = None
        self.scope = None
        self.unfair = None
        self.entered = ()

    def but(self, **changes):
        other = Where(self.prefix)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        other.unfair = self.unfair or other.unfair
        return other


class File:
    """One file's assertions, and the lines on which a failure may be caught."""

    def __init__(self, path, tree, catchers=()):
        self.path = path
        self.tree = tree
        self.catchers = catchers_in([tree], {*CATCHING, *catchers})
        self.pytest_names = set(names_from_pytest(tree))
        self.catching_lines = []
        self.sites = []
        where = Where(path)
        if any(is_left_out(given) for given in marks_in(tree.body)):
            where = where.but(unfair="left out by a mark")
        self.inside(tree, where)

    def inside(self, node, where):
        for child in ast.iter_child_nodes(node):
            self.visit(child, where)

    def visit(self, node, where):
        if isinstance(node, FUNCTIONS):
            self.function(node, where)
        elif isinstance(node, ast.ClassDef):
            self.of_class(node, where)
        elif isinstance(node, LAZY):
            self.inside(node, where.but(unfair="in a lambda or generator"))
        elif isinstance(node, TRIES) and may_catch(node):
            self.catching_lines.append((node.lineno, node.end_lineno))
            self.inside(node, where.but(unfair="inside try"))
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            self.with_statement(node, where)
        elif isinstance(node, ast.Assert):
            self.assert_statement(node, where)
        else:
            if isinstance(node, ast.Call):
                self.call(node, where)
            self.inside(node, where)

    def function(self, node, where):
        for outside in (*node.decorator_list, node.args):
            self.visit(outside, where)
        inner = where.but(scope=node, unfair=unfairness_of(node, where))
        if any(called(given) in self.catchers for given in node.decorator_list):
            inner = inner.but(unfair="where failures are caught")
        if where.function is None:
            test = f"{where.prefix}::{node.name}" if node.name.startswith("test") else None
            inner = inner.but(function=node, test=test, entered=tuple(node.decorator_list))
        for statement in node.body:
            self.visit(statement, inner)

    def of_class(self, node, where):
        inner = where.but(scope=node, prefix=f"{where.prefix}::{node.name}")
        if any(is_left_out(given) for given in (*node.decorator_list, *marks_in(node.body))):
            inner = inner.but(unfair="left out by a mark")
        for statement in node.body:
            if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                self.visit(statement, inner)
            else:
                self.visit(statement, inner.but(unfair="in a class body"))

    def with_statement(self, node, where):
        for item in node.items:
            self.visit(item, where)
            where = where.but(entered=(*where.entered, item.context_expr))
            if called(item.context_expr) in self.catchers:
                self.catching_lines.append((node.lineno, node.end_lineno))
                where = where.but(unfair="where failures are caught")
        for statement in node.body:
            self.visit(statement, where)

    def assert_statement(self, node, where):
        parts = conjuncts(node.test)
        for part in parts:
            site = self.add("condition", part, where, node if len(parts) == 1 else part)
            site.alone = len(parts) == 1

    def call(self, node, where):
        name = called(node)
        if name in EXPECTING and self.is_expecting(node.func):
            keywords = {given.arg for given in node.keywords}
            if node.args and not isinstance(node.args[0], ast.Starred):
                self.add("expected", node, where)
            elif keywords & {"expected_exception", "match", "check"}:
                self.add("call", node, where)
        elif name in METHODS and is_plain(node, 1 if name in ONE_SIDED else 2):
            self.add("method", node, where)
        elif name.lower().startswith("assert") and name != "AssertionError":
            self.add("call", node, where)

    def is_expecting(self, function):
        if isinstance(function, ast.Name):
            return function.id in self.pytest_names
        return function.attr.startswith("assert") or getattr(function.value, "id", "") in self.pytest_names

    def add(self, kind, node, where, at=None):
        site = Site(self, kind, node, where, at or node)
        if all(site.id != other.id for other in self.sites[-3:]):
            self.sites.append(site)
        return site


def unfairness_of(node, where):
    if where.function is not None:
        return "in a nested function"
    if any(is_left_out(given) for given in node.decorator_list):
        return "left out by a mark"
    if node.name == "__del__":
        return "where failures are caught"
    bases = where.scope.bases if isinstance(where.scope, ast.ClassDef) else []
    is_run = run_coroutines() or any("Async" in (called(base) or "") for base in bases)
    if isinstance(node, ast.AsyncFunctionDef) and not is_run:
        return "in a coroutine"
    return None


def conjuncts(test):
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in conjuncts(value)]
    return [test]


def called(node):
    """The last part of a dotted name; for a call, that of the function called."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_plain(node, least):
    starred = any(isinstance(given, ast.Starred) for given in node.args)
    return isinstance(node.func, ast.Attribute) and not starred and len(node.args) >= least


def may_catch(node):
    leaves = (ast.Return, ast.Break, ast.Continue)
    return bool(node.handlers) or any(isinstance(inner, leaves) for last in node.finalbody for inner in ast.walk(last))


def catchers_in(trees, known=CATCHING):
    """`known`, and the names that test code defines for catching failures: managers, and decorators that use them."""
    names = set(known)
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, (*FUNCTIONS, ast.ClassDef))]
    while more := {node.name for node in nodes if node.name not in names and catches(node, names)}:
        names |= more
    return names


def catches(node, names):
    if isinstance(node, ast.ClassDef):
        leaving = [inner for inner in node.body if getattr(inner, "name", "") in ("__exit__", "__aexit__")]
        returned = [inner.value for way in leaving for inner in ast.walk(way) if isinstance(inner, ast.Return)]
        return any(value is not None and not is_false(value) for value in returned)
    return any(
        (isinstance(inner, TRIES) and any(catches_failures(handler) for handler in inner.handlers))
        or (isinstance(inner, ast.withitem) and called(inner.context_expr) in names)
        for inner in ast.walk(node)
        if inner is not node
    )


def is_false(value):
    return isinstance(value, ast.Constant) and not value.value


def catches_failures(handler):
    """Whether a handler may catch a failed assertion. A name in lower case may be any exception, and counts."""
    if isinstance(handler.body[-1], ast.Raise):
        return False
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(called(kind) in (None, "", *FAILURES) or called(kind)[0].islower() for kind in kinds)


def names_from_pytest(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "pytest":
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.asname or "pytest" for alias in node.names if alias.name == "pytest")


def marks_in(body):
    for node in body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "pytestmark" for target in node.targets):
            yield node.value


def is_left_out(mark):
    return any(called(node) in LEFT_OUT_MARKS for node in ast.walk(mark) if isinstance(node, (ast.Attribute, ast.Name)))
