"""Makes the probe of each kind of assertion: the function that takes part in it when it runs."""

from __future__ import annotations

import ast

from check.counter.falsify import calls, conditions
from check.counter.falsify.sides import container
from check.counter.probes.room import with_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from check.counter.assertions.nested import Nested
    from check.counter.assertions.sites import CallSite, Condition
    from check.counter.probes.probed_run import ProbedRun

    Probe = Callable[..., object]


def condition(counter: ProbedRun, site: Condition) -> Probe:
    reached_in: str | None = None
    says_no = isinstance(site.node, ast.Compare) and [type(each) for each in site.node.ops] == [ast.NotIn]

    def probe(result: object, *operands: object) -> object:
        nonlocal reached_in
        counter.ground.at_assertion()
        if counter.asking and not counter.is_turned(site):
            counter.record(site)
            return counter.asking.condition(site, result, operands)
        if reached_in is not counter.running or counter.is_false(site):
            reached_in = counter.running
            if counter.reach(site):
                return conditions.condition(site, result, operands, counter)
            if says_no and result and operands:
                counter.has_refused(container(operands[1]))
        return result

    return probe


def expected(counter: ProbedRun, site: CallSite) -> Probe:
    def probe(given: object) -> object:
        counter.ground.at_assertion()
        if not counter.reach(site):
            return given
        counter.record(site)
        return calls.expected(site)

    return probe


def method(counter: ProbedRun, site: CallSite) -> Probe:
    def probe(given: Callable[..., object]) -> Callable[..., object]:
        counter.ground.at_assertion()
        turned = counter.reach(site)
        if counter.asking and not turned:
            return with_room(counter.asking.method(site, given))
        return with_room(calls.method(site, given, counter)) if turned else given

    return probe


def plain_call(counter: ProbedRun, site: CallSite) -> Probe:
    def probe(given: object) -> object:
        counter.ground.at_assertion()
        counter.reach(site)
        return given

    return probe


def before(counter: ProbedRun, site: Condition, test: ast.Compare) -> Probe:
    """Gives the right operand of the comparison that comes next."""

    def probe(left: object, right: object) -> object:
        __tracebackhide__ = True
        if counter.is_turned(site):
            conditions.ask_before(site, test, (left, right), counter)
        return right

    return probe


def compared(counter: ProbedRun, site: Nested, operation: type[ast.cmpop]) -> Probe:
    """Gives the right operand of a comparison within an assertion."""

    def probe(left: object, right: object) -> object:
        __tracebackhide__ = True
        if counter.asking and counter.is_here():
            counter.asking.compared(site, operation, left, right)
        return right

    return probe


def answered(counter: ProbedRun, site: Nested) -> Probe:
    """Gives the result of such a comparison."""

    def probe(result: object) -> object:
        __tracebackhide__ = True
        if counter.asking and counter.is_here():
            counter.asking.answered(site, result)
        return result

    return probe


def instance(counter: ProbedRun, site: Nested) -> Probe:
    """Gives the second argument of isinstance or issubclass."""

    def probe(*given: object) -> object:
        __tracebackhide__ = True
        if counter.asking and counter.is_here():
            counter.asking.instance(site, given[:-1], given[-1])
        return given[-1]

    return probe
