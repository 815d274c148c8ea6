"""Finds what the names in a test file stand for, as far as its syntax tree tells."""

from __future__ import annotations

import ast
import os

from check.counter.assertions.nodes import FUNCTIONS, called
from check.project import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from check.counter.assertions.nodes import Function
    from check.counter.assertions.sites import Place, Site

    Import = ast.Import | ast.ImportFrom
    Bindings = dict[str, list[ast.AST]]

IMPORTS = (ast.Import, ast.ImportFrom)
PARAMETER = ast.AST()  # stands for a value that nothing in the file tells


def is_sheltered(site: Site) -> bool:
    """Whether what surrounds an assertion belongs to the tests, and may have been made to expect its failure."""
    if site.test is None or site.where.scope is not site.where.function:
        return True
    bound = bindings_of(site)
    return any(is_of_tests(site, bound, root_of(entered)) for entered in site.where.entered)


def is_of_tests(site: Site, bound: Bindings, name: str, depth: int = 10) -> bool:
    for given in bound.get(name, ()):
        if given is PARAMETER or isinstance(given, (*FUNCTIONS, ast.ClassDef)):
            return True
        if isinstance(given, IMPORTS):
            if comes_from_tests(site, given):
                return True
        elif depth and is_of_tests(site, bound, root_of(given), depth - 1):
            return True
    return False


def mentions_mock(site: Place, expression: ast.expr) -> bool:
    """Whether an expression may hold a value of unittest.mock that the tests themselves put there."""
    bound = bindings_of(site)
    todo: list[ast.AST] = [expression]
    done: set[str] = set()
    while todo:
        node = todo.pop()
        if node is PARAMETER or (isinstance(node, IMPORTS) and (is_of_mock(node) or comes_from_tests(site, node))):
            return True
        if isinstance(node, IMPORTS):
            continue
        for name in {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} - done:
            done.add(name)
            todo += bound.get(name, ())
        if any(isinstance(inner, ast.Attribute) and inner.attr == "mock" for inner in ast.walk(node)):
            return True
    return False


def is_of_mock(node: Import) -> bool:
    names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
    return any(name in ("mock", "unittest.mock") for name in names)


def comes_from_tests(site: Place, node: Import) -> bool:
    if getattr(node, "level", 0):
        return True
    folder = os.path.dirname(os.path.join(options.WORKSPACE, site.file.path))
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    for first in (module.partition(".")[0] for module in modules):
        if first == "tests" or any(os.path.exists(os.path.join(folder, first + end)) for end in (".py", "")):
            return True
    return False


def root_of(node: ast.AST) -> str:
    while not isinstance(node, ast.Name):
        inner = getattr(node, "func", None) or getattr(node, "value", None)
        if not isinstance(inner, ast.AST):
            return ""
        node = inner
    return node.id


def bindings_of(site: Place) -> Bindings:
    """All that may be bound to each name where the assertion stands: expressions, definitions, imports, parameters."""
    bound: Bindings = {}
    for node in site.file.tree.body:
        bind(bound, node)
    if site.where.function is not None:
        parameters(bound, site.where.function)
        for node in ast.walk(site.where.function):
            bind(bound, node)
    return bound


def bind(bound: Bindings, node: ast.AST) -> None:
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        bound.setdefault(node.name, []).append(node)
    elif isinstance(node, IMPORTS):
        for alias in node.names:
            bound.setdefault(alias.asname or alias.name.partition(".")[0], []).append(node)
    else:
        for target, value in assignments(node):
            for name in (inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name)):
                bound.setdefault(name, []).append(value)


def assignments(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
        return [(node.target, node.value)]
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        return [(node.target, node.iter)]
    if isinstance(node, ast.withitem) and node.optional_vars is not None:
        return [(node.optional_vars, node.context_expr)]
    return []


def parameters(bound: Bindings, function: Function) -> None:
    """The values of a parametrised argument stand in its decorator; the value of a fixture is known if the fixture is
    in this file."""
    marks = [given for given in function.decorator_list if called(given) == "parametrize"]
    taken = function.args
    for argument in [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]:
        text: list[ast.AST] = [mark for mark in marks if argument.arg in ast.dump(names_of(mark))]
        bound[argument.arg] = text or bound.get(argument.arg) or [PARAMETER]


def names_of(mark: ast.expr) -> ast.expr:
    return mark.args[0] if isinstance(mark, ast.Call) and mark.args else mark
