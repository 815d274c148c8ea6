"""Tells which tests a staged file itself leaves out whatever the project is, by marks for skipping and expected
failure. Their conditions are evaluated where nothing of the project is; one that cannot be told there counts as not
holding."""

import ast
import itertools
import os
import select
import signal
import sys
import time

from check.judge.expected import Module, keyword, names_of, parametrisations
from check.tree.imports import parse

ALWAYS = {"pytest.mark.skip", "unittest.skip", "unittest.expectedFailure"}
CONDITIONAL = {"pytest.mark.skipif", "pytest.mark.xfail", "unittest.skipIf", "unittest.skipUnless"}
TREE = "/workspace"
SECONDS = 3
MOST_CONDITIONS = 1000


def left_out(path, module):
    """Ids of the tests, and of single sets of their parameters, that a mark of the file leaves out for certain."""
    marks = Marks(module)
    cases = Module(path, module)
    conditions = {}
    for test in cases.functions():
        conditions[test.id] = marks.of_test(test)
        conditions |= {name: marks.conditions(given) for name, given in marked_sets(cases, test).items()}
    asked = list({ast.dump(each): each for found in conditions.values() for each in found}.values())[:MOST_CONDITIONS]
    held = {ast.dump(each) for each, holds in zip(asked, holding(module, asked), strict=True) if holds}
    return {name for name, found in conditions.items() if any(ast.dump(each) in held for each in found)}


def marked_sets(cases, test):
    """Marks on single sets of parameters, by the id that each makes, as far as the file shows it."""
    calls = [*reversed(parametrisations(test.node))] if test.node else []
    ids = cases.ids_of(test)
    if not calls or any(one["many"] for one in ids):
        return {}
    sets = itertools.product(*(values_of(call) for call in calls))
    return {one["id"]: [mark for value in values for mark in marks_on(value)] for one, values in zip(ids, sets)}


def values_of(call):
    return (call.args[1] if len(call.args) > 1 else keyword(call, "argvalues")).elts


def marks_on(value):
    return each_of(keyword(value, "marks")) if isinstance(value, ast.Call) else []


class Marks:
    def __init__(self, module):
        self.module = module
        self.scope = names_of(module.body)
        self.origins = origins(module)

    def of_test(self, test):
        bodies = [self.module.body, *(around.body for around in test.classes)]
        marks = [mark for body in bodies for mark in own_marks(body)]
        for node in (test.node, *test.classes):
            marks += node.decorator_list if node else []
        return self.conditions(marks)

    def conditions(self, marks):
        return [condition for mark in marks if (condition := self.condition_of(mark)) is not None]

    def condition_of(self, mark):
        named = self.scope.get(mark.id) if isinstance(mark, ast.Name) else None
        mark = named.value if isinstance(named, ast.Assign) else mark
        call = mark if isinstance(mark, ast.Call) else None
        name = self.full_name(call.func if call else mark)
        if name in ALWAYS:
            return ast.Constant(True)
        return condition_in(name, call) if name in CONDITIONAL else None

    def full_name(self, node):
        parts = ast.unparse(node).split(".")
        return ".".join([self.origins.get(parts[0], ""), *parts[1:]])


def origins(module):
    """The full names behind the names that imports bind at top level."""
    found = {}
    for node in module.body:
        if isinstance(node, ast.Import):
            found.update({alias.asname or alias.name.split(".")[0]: alias.name for alias in node.names})
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return found


def own_marks(body):
    return each_of(getattr(names_of(body).get("pytestmark"), "value", None))


def each_of(given):
    return given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given] if given else []


def condition_in(name, call):
    """The condition of a mark; None if it has none and needs one."""
    given = [*call.args] if call else []
    given += [keyword.value for keyword in call.keywords if keyword.arg == "condition"] if call else []
    if name.startswith("unittest."):
        given = given[:1]
    if not given:
        return ast.Constant(True) if name == "pytest.mark.xfail" else None
    asked = [as_expression(each) for each in given]
    asked = ast.BoolOp(ast.Or(), asked) if len(asked) > 1 else asked[0]
    return ast.UnaryOp(ast.Not(), asked) if name == "unittest.skipUnless" else asked


def as_expression(node):
    """The condition as an expression; it may be written as text."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return node
    module = parse(node.value)
    alone = module is not None and len(module.body) == 1 and isinstance(module.body[0], ast.Expr)
    return module.body[0].value if alone else ast.Constant(False)


def holding(module, conditions):
    if all(isinstance(condition, ast.Constant) for condition in conditions):
        return [bool(condition.value) for condition in conditions]
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(tell, 3)
            os.closerange(4, 4096)
            evaluate(module, conditions, 3)
        finally:
            os._exit(0)
    os.close(tell)
    try:
        answers = read_until(told, len(conditions), time.monotonic() + SECONDS)
    finally:
        os.close(told)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return [at < len(answers) and answers[at : at + 1] == b"1" for at in range(len(conditions))]


def read_until(fd, size, deadline):
    found = b""
    while len(found) < size and (left := deadline - time.monotonic()) > 0:
        if select.select([fd], [], [], left)[0]:
            chunk = os.read(fd, size - len(found))
            if not chunk:
                break
            found += chunk
    return found


def evaluate(module, conditions, tell):
    if os.path.isdir(TREE):
        os.chdir(TREE)
    watch = Watch()
    scope = {"os": os, "sys": sys, "platform": __import__("platform")}  # pytest gives these to a condition in text
    for node in preamble(module, conditions):
        watch.told(ast.Module([node], []), "exec", scope)
    for condition in conditions:
        held = watch.told(ast.Expression(condition), "eval", scope)
        os.write(tell, b"1" if held else b"0")


def preamble(module, conditions):
    """The imports of the file, and the assignments that the conditions depend on, in their order."""
    needed = names_in(*conditions)
    assigned = [node for node in module.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
    for node in reversed(assigned):
        if node.targets[0].id in needed:
            needed |= names_in(node.value)
    kept = [node for node in assigned if node.targets[0].id in needed]
    return [node for node in module.body if isinstance(node, (ast.Import, ast.ImportFrom)) or node in kept]


def names_in(*nodes):
    return {inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}


class Watch:
    """Notes when something is looked for that a tree could provide: a module that neither library nor image has, a file
    below the tree's place. The result then depends on the project."""

    def __init__(self):
        self.asked = False
        sys.meta_path.append(self)
        sys.addaudithook(self.audit)
        for name in ("stat", "lstat", "access"):
            setattr(os, name, self.noting(getattr(os, name)))

    def find_spec(self, name, path=None, target=None):
        self.asked = True

    def audit(self, event, arguments):
        if event in ("open", "os.listdir", "os.scandir"):
            self.note(arguments[0])
        elif event in ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork"):
            self.asked = True

    def noting(self, function):
        def noted(path, *arguments, **options):
            self.note(path)
            return function(path, *arguments, **options)

        return noted

    def note(self, path):
        if isinstance(path, int):
            return
        path = os.path.normpath(os.fsdecode(path or "."))
        if not path.startswith("/") or f"{path}/".startswith(f"{TREE}/"):
            self.asked = True

    def told(self, tree, mode, scope):
        """Whether the value is true. False if it fails or depends on the project; such an assignment binds nothing."""
        self.asked = False
        before = dict(scope)
        try:
            value = eval(compile(ast.fix_missing_locations(tree), "<condition>", mode), scope)
            held = bool(value)
        except Exception:
            held = False
        if self.asked:
            scope.clear()
            scope.update(before)
        return held and not self.asked
