"""Finds the literals in tests that say what is expected: those that reach nothing but a comparison. No computed value
can depend on them."""

from __future__ import annotations

import ast

from check.counter.assertions.catching import catchers_in
from check.counter.assertions.nodes import FUNCTIONS, called
from check.counter.assertions.sites import File
from check.counter.expected.equalities import compared_in, equalities, operands
from check.counter.expected.literals import is_literal, leaves
from check.counter.expected.name_uses import named, reads_of
from check.counter.expected.tables import names_in, table_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal

    from check.counter.assertions.nodes import Function
    from check.counter.assertions.sites import Condition, Site

    Group = list[ast.Constant]
    # the values of a literal, True for a name that one flows into, None for anything else
    ExpectedSide = list[object] | Literal[True] | None

COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp)
PLAIN = (ast.Call, ast.Name, ast.Attribute, ast.Subscript)
UNSURE = (ast.Compare, ast.NamedExpr, ast.BoolOp)


class ExpectedValues:
    """Finds the values that staged files and their helpers expect, by file."""

    def __init__(self, trees: Mapping[str, ast.Module], others: Iterable[ast.Module] = ()) -> None:
        self.trees = trees
        catchers = catchers_in(trees.values())
        files = {path: File(path, tree, catchers) for path, tree in trees.items()}
        self.sites: dict[str, list[Site]] = {
            path: [site for site in file.sites if site.unfair is None] for path, file in files.items()
        }
        self.caught = {id(tree): files[path].catching_lines for path, tree in trees.items()}
        self.compared = {id(node) for sites in self.sites.values() for site in sites for node in compared_in(site)}
        self.functions: dict[str, list[Function]] = {}
        self.taken = {each.arg for tree in (*trees.values(), *others) for each in fixture_parameters(tree)}
        self.attributes: set[str] = set()
        for tree in trees.values():
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute):
                    self.attributes.add(node.attr)
                elif isinstance(node, FUNCTIONS):
                    self.functions.setdefault(node.name, []).append(node)
        self.flowing: set[int] = set()
        self.groups = {path: [*self.groups_of(tree)] for path, tree in trees.items()}

    def plain(self, path: str) -> Iterator[Condition]:
        """Assertions of a single call or name, or of its negation, in which nothing is exchanged. Helpers are left out,
        because their callers may expect a failure."""
        known = {id(leaf) for group in self.groups[path] for leaf in group} | self.flowing
        for site in self.sites[path]:
            own = site.test is not None and site.where.scope is site.where.function
            if not own or site.kind != "condition" or not site.alone:
                continue
            node = site.node.operand if isinstance(site.node, ast.UnaryOp) else site.node
            unsure = (id(inner) in known or isinstance(inner, UNSURE) for inner in ast.walk(node))
            if isinstance(node, PLAIN) and not any(unsure):
                yield site

    def places(self, path: str) -> Iterator[tuple[tuple[int, int], list[ExpectedSide]]]:
        """The places of assertions that say what is expected, each with what `side` tells of both operands."""
        for site in self.sites[path]:
            for node in equalities(site):
                sides: list[ExpectedSide] = [self.side(operand) for operand in operands(node)]
                if any(sides) and (site.test is None or None in sides):
                    yield (node.lineno, node.col_offset), sides

    def side(self, operand: ast.expr) -> ExpectedSide:
        """The values of a literal, True for a name that one flows into, None for anything else."""
        known = leaves(operand)
        return [leaf.value for leaf in known] or (id(operand) in self.flowing or None)

    def groups_of(self, tree: ast.Module) -> Iterator[Group]:
        """Groups of constants; each group makes up one expected value."""
        for node in ast.walk(tree):
            if id(node) in self.compared:
                yield leaves(node)
            elif isinstance(node, FUNCTIONS):
                yield from self.parameters(node, tree)
            elif isinstance(node, ast.For):
                yield from self.loop(node, node, tree)
            elif isinstance(node, COMPREHENSIONS):
                for each in node.generators:
                    yield from self.loop(each, node, tree)
            elif isinstance(node, ast.Call):
                yield from self.arguments(node, self.caught[id(tree)])
        for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))):
            yield from self.constants(scope)

    def parameters(self, function: Function, tree: ast.Module) -> Iterator[Group]:
        for mark in function.decorator_list:
            if not isinstance(mark, ast.Call) or called(mark) != "parametrize" or len(mark.args) < 2:
                continue
            if not {keyword.arg for keyword in mark.keywords} & {None, "indirect"}:
                names = names_in(mark.args[0])
                yield from self.columns(function, names, table_in(mark.args[1], tree, several=len(names) > 1))

    def loop(self, node: ast.For | ast.comprehension, scope: ast.AST, tree: ast.Module) -> Iterator[Group]:
        target = node.target
        several = isinstance(target, ast.Tuple)
        targets = target.elts if several else [target]
        names: list[object] = [each.id for each in targets if isinstance(each, ast.Name)]
        if len(names) == len(targets):
            yield from self.columns(scope, names, table_in(node.iter, tree, several))

    def columns(self, scope: ast.AST, names: list[object], rows: list[list[ast.expr]]) -> Iterator[Group]:
        for at, name in enumerate(names):
            found = [leaves(row[at]) for row in rows if len(row) == len(names)]
            known = any(found) and name not in self.taken and reads_of(scope, name)
            if known and self.is_only_compared(scope, name):
                yield from found

    def arguments(self, call: ast.Call, caught: list[tuple[int, int]]) -> Iterator[Group]:
        """Literals passed to a helper of the tests that only compares them, except in calls that are meant to fail."""
        known = self.functions.get(call.func.id, []) if isinstance(call.func, ast.Name) else []
        sheltered = any(first <= call.lineno <= last for first, last in caught) or all(map(is_literal, call.args))
        parameters = known[0].args.args if len(known) == 1 and not sheltered else ()
        for parameter, given in zip(parameters, call.args, strict=False):
            if is_literal(given) and self.is_only_compared(known[0], parameter.arg):
                yield leaves(given)

    def constants(self, scope: ast.Module | Function) -> Iterator[Group]:
        for node in scope.body:
            if not isinstance(node, ast.Assign) or len(node.targets) != 1:
                continue
            target = node.targets[0]
            if isinstance(target, ast.Name) and is_literal(node.value) and target.id not in self.attributes:
                places = [scope] if scope not in self.trees.values() else [*self.trees.values()]
                read = any(reads_of(place, target.id) for place in places)
                if read and all(self.is_only_compared(place, target.id, stores=1) for place in places):
                    yield leaves(node.value)

    def is_only_compared(self, scope: ast.AST, name: object, stores: int | None = None) -> bool:
        """Whether a name is read in comparisons only; `stores`: how often it may be bound."""
        reads = reads_of(scope, name)
        bound = len([*named(scope, name)]) - len(reads)
        if any(id(node) not in self.compared for node in reads) or (stores is not None and bound > stores):
            return False
        self.flowing.update(id(node) for node in reads)
        return True


def fixture_parameters(tree: ast.AST) -> Iterator[ast.arg]:
    """The parameters of fixtures: a fixture may hand on what a test is given under the same name."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS) and any("fixture" in ast.dump(each) for each in node.decorator_list):
            yield from (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
