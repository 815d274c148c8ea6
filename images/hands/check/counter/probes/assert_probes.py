"""Puts probes into assert statements, those that pytest rewrites and those that it does not."""

from __future__ import annotations

import ast

from _pytest.assertion import rewrite

from check.counter.assertions.nodes import FUNCTIONS, conjuncts
from check.counter.probes.nested_probes import kept
from check.counter.probes.probe_kinds import before, condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from check.counter.assertions.sites import Condition
    from check.counter.probes.probes import Probes

    # kept on an assert statement until it gets its probe
    PendingProbe = tuple[Condition, Probes]


def mark_assertions(tree: ast.AST, sites: Mapping[int, Condition], probes: Probes) -> None:
    """Each operand of a top-level `and` becomes an assertion of its own, which means the same."""
    for node in ast.walk(tree):
        for body in ("body", "orelse", "finalbody"):
            statements: list[ast.stmt] | ast.expr | None = getattr(node, body, None)
            if isinstance(statements, list) and any(isinstance(each, ast.Assert) for each in statements):
                setattr(node, body, [one for each in statements for one in marked(each, sites, probes)])


def marked(statement: ast.stmt, sites: Mapping[int, Condition], probes: Probes) -> list[ast.stmt]:
    if not isinstance(statement, ast.Assert):
        return [statement]
    found: list[ast.stmt] = []
    for part in conjuncts(statement.test):
        one = ast.copy_location(ast.Assert(part, statement.msg), statement)
        if id(part) in sites:
            setattr(one, "probed", (sites[id(part)], probes))
        found.append(one)
    return found


class Rewriter(rewrite.AssertionRewriter):
    """pytest's own rewriter, but the last word on whether an assertion holds is the probe's."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        statements = super().visit_Assert(node)
        probed: PendingProbe | None = getattr(node, "probed", None)
        tests = [each.test for each in statements if isinstance(each, ast.If) and isinstance(each.test, ast.UnaryOp)]
        if probed is not None and tests:
            site, probes = probed
            result = tests[-1].operand
            operands = operands_of(statements, result)
            if operands:
                ask_before(comparison_of(statements, result), site, probes)
            tests[-1].operand = probes.called(condition(probes.counter, site), [truth(result), *operands], node)
        return statements


def operands_of(statements: Sequence[ast.stmt], result: ast.expr) -> list[ast.expr]:
    """The operands of an assertion that is a single comparison, if they are names or constants that can be read
    again."""
    compared = comparison_of(statements, result)
    operands = [compared.left, compared.comparators[0]] if compared else []
    return operands if all(isinstance(operand, (ast.Name, ast.Constant)) for operand in operands) else []


def comparison_of(statements: Sequence[ast.stmt], result: ast.expr) -> ast.Compare | None:
    for each in statements:
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") == getattr(result, "id", None):
            if isinstance(each.value, ast.Compare) and len(each.value.ops) == 1:
                return each.value
    return None


def ask_before(compared: ast.Compare | None, site: Condition, probes: Probes) -> None:
    if compared is not None and isinstance(site.node, ast.Compare):
        right, probe = compared.comparators[0], before(probes.counter, site, site.node)
        compared.comparators[0] = probes.called(probe, [compared.left, right], right)


def mark_plain_assertions(tree: ast.AST) -> None:
    """Puts probes into the assertions that pytest did not rewrite."""
    for node in ast.walk(tree):
        probed: PendingProbe | None = getattr(node, "probed", None)
        if isinstance(node, ast.Assert) and probed is not None:
            site, probes = probed
            test = node.test
            operands: list[ast.expr] = []
            in_function = isinstance(site.where.scope, FUNCTIONS)
            if in_function and isinstance(test, ast.Compare) and len(test.ops) == 1:
                test.left, left = kept("@left", test.left)
                right_kept, right = kept("@right", test.comparators[0])
                probe = before(probes.counter, site, test)
                test.comparators[0] = probes.called(probe, [left, right_kept], right)
                operands = [left, right]
            node.test = probes.called(condition(probes.counter, site), [truth(test), *operands], test)


def truth(result: ast.expr) -> ast.expr:
    """Asks in the test's own frame whether a result is true, as in every run: a result that is asked by a probe could
    tell."""
    denied = ast.copy_location(ast.UnaryOp(ast.Not(), result), result)
    return ast.copy_location(ast.UnaryOp(ast.Not(), denied), result)
