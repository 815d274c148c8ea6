"""Compiles assertions with a probe each. A run that makes one of them false compiles the same code as one that does
not: the difference is in a constant that no name leads to."""

import ast
import secrets
import types
import warnings

from _pytest.assertion import rewrite

from check.counter import falsify
from check.counter import nested as nested_in
from check.counter import sites as sites_in

compile_code = compile


def compiled(file, filename, counter, rewriting):
    """`rewriting`: the arguments for pytest's own rewriter; None if it does not rewrite the module."""
    tree, probes = file.tree, Probes(counter)
    mark_calls(file, probes)
    within = nested_in.within(file)
    mark_assertions(tree, {id(site.node): site for site in file.sites}, probes)
    if rewriting is not None:
        Rewriter(*rewriting).run(tree)
    mark_plain_assertions(tree)
    nested_in.mark(file, within, probes)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'str' object is not callable", SyntaxWarning)
        code = compile_code(tree, filename, "exec", dont_inherit=True)
    return probes.put_into(code)


class Probes:
    """Puts a text in place of each probe, which is exchanged for the probe among the constants of the compiled code."""

    def __init__(self, counter):
        self.counter = counter
        self.token = secrets.token_hex(8)
        self.made = {}

    def called(self, site, arguments, like, kind=None):
        text = f"{self.token}{len(self.made)}"
        self.made[text] = KINDS[kind or site.kind](self.counter, site)
        made = ast.Call(ast.Constant(text), arguments, [])
        for node in (made, made.func):
            ast.copy_location(node, like)
        return made

    def put_into(self, code):
        made, kind = self.made, types.CodeType
        constants = tuple(
            self.put_into(each) if type(each) is kind else made.get(each, each) if type(each) is str else each
            for each in code.co_consts
        )
        return code.replace(co_consts=constants)


def condition(counter, site):
    reached_in = None
    says_no = isinstance(site.node, ast.Compare) and [type(each) for each in site.node.ops] == [ast.NotIn]

    def probe(result, *operands):
        nonlocal reached_in
        counter.ground.at_assertion()
        if counter.asking and not counter.is_turned(site):
            counter.record(site)
            return counter.asking.condition(site, result, operands)
        if reached_in is not counter.running or counter.is_false(site):
            reached_in = counter.running
            if counter.reach(site):
                return falsify.condition(site, result, operands, counter)
            if says_no and result and operands:
                counter.has_refused(falsify.container(operands[1]))
        return result

    return probe


def expected(counter, site):
    def probe(given):
        counter.ground.at_assertion()
        if not counter.reach(site):
            return given
        counter.record(site)
        return falsify.expected(site)

    return probe


def method(counter, site):
    def probe(given):
        counter.ground.at_assertion()
        turned = counter.reach(site)
        if counter.asking and not turned:
            return counter.asking.method(site, given)
        return falsify.method(site, given, counter) if turned else given

    return probe


def plain_call(counter, site):
    def probe(given):
        counter.ground.at_assertion()
        counter.reach(site)
        return given

    return probe


def before(counter, site):
    """Gives the right operand of the comparison that comes next."""

    def probe(left, right):
        __tracebackhide__ = True
        if counter.is_turned(site):
            falsify.ask_before(site, left, right, counter)
        return right

    return probe


def compared(counter, site):
    """Gives the right operand of a comparison within an assertion."""

    def probe(left, right):
        __tracebackhide__ = True
        if counter.asking and counter.is_here():
            counter.asking.compared(site, site.operation, left, right)
        return right

    return probe


def instance(counter, site):
    """Gives the second argument of isinstance or issubclass."""

    def probe(*given):
        __tracebackhide__ = True
        if counter.asking and counter.is_here():
            counter.asking.instance(site, given[:-1], given[-1])
        return given[-1]

    return probe


KINDS = {
    **{"condition": condition, "expected": expected, "method": method, "call": plain_call, "before": before},
    **{"compared": compared, "instance": instance},
}


def mark_calls(file, probes):
    for site in file.sites:
        if site.kind == "expected":
            first = site.node.args[0]
            site.node.args[0] = probes.called(site, [first], first)
        elif site.kind != "condition":
            site.node.func = probes.called(site, [site.node.func], site.node.func)


def mark_assertions(tree, sites, probes):
    """Each operand of a top-level `and` becomes an assertion of its own, which means the same."""
    for node in ast.walk(tree):
        for body in ("body", "orelse", "finalbody"):
            statements = getattr(node, body, None)
            if isinstance(statements, list) and any(isinstance(each, ast.Assert) for each in statements):
                setattr(node, body, [one for each in statements for one in marked(each, sites, probes)])


def marked(statement, sites, probes):
    if not isinstance(statement, ast.Assert):
        return [statement]
    found = []
    for part in sites_in.conjuncts(statement.test):
        one = ast.copy_location(ast.Assert(part, statement.msg), statement)
        if id(part) in sites:
            one.probed = (sites[id(part)], probes)
        found.append(one)
    return found


class Rewriter(rewrite.AssertionRewriter):
    """pytest's own rewriter, but the last word on whether an assertion holds is the probe's."""

    def visit_Assert(self, node):
        statements = super().visit_Assert(node)
        site, probes = getattr(node, "probed", (None, None))
        tests = [each.test for each in statements if isinstance(each, ast.If) and isinstance(each.test, ast.UnaryOp)]
        if site is not None and tests:
            result = tests[-1].operand
            operands = operands_of(statements, result)
            if operands:
                ask_before(comparison_of(statements, result), site, probes)
            tests[-1].operand = probes.called(site, [result, *operands], node)
        return statements


def operands_of(statements, result):
    """The operands of an assertion that is a single comparison, if they are names or constants that can be read
    again."""
    compared = comparison_of(statements, result)
    operands = [compared.left, compared.comparators[0]] if compared else []
    return operands if all(isinstance(operand, (ast.Name, ast.Constant)) for operand in operands) else []


def comparison_of(statements, result):
    for each in statements:
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") == getattr(result, "id", None):
            if isinstance(each.value, ast.Compare) and len(each.value.ops) == 1:
                return each.value
    return None


def ask_before(compared, site, probes):
    right = compared.comparators[0]
    compared.comparators[0] = probes.called(site, [compared.left, right], right, "before")


def mark_plain_assertions(tree):
    """Puts probes into the assertions that pytest did not rewrite."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and hasattr(node, "probed"):
            site, probes = node.probed
            test, operands = node.test, []
            in_function = isinstance(site.where.scope, sites_in.FUNCTIONS)
            if in_function and isinstance(test, ast.Compare) and len(test.ops) == 1:
                test.left, left = nested_in.kept("@left", test.left)
                right_kept, right = nested_in.kept("@right", test.comparators[0])
                test.comparators[0] = probes.called(site, [left, right_kept], right, "before")
                operands = [left, right]
            node.test = probes.called(site, [test, *operands], test)
