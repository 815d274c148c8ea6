"""Makes a chosen condition false. It stays true only if something agrees with whatever it is compared with."""

from __future__ import annotations

import ast
import operator
import random

from check.counter.assertions import bindings
from check.counter.falsify.answers import passes, says_no
from check.counter.falsify.attempts import attempts
from check.counter.falsify.sides import Side, container, pairs, who_answers
from check.counter.falsify.strangers import fresh
from check.counter.falsify.unlike import unlike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from check.counter.assertions.sites import Condition
    from check.counter.falsify.tally import Tally

draw = random.SystemRandom()


def condition(site: Condition, result: object, operands: Sequence[object], counter: Tally) -> object:
    try:
        agreed = judged(site, result, operands, counter)
    except BaseException:
        # every question is asked where its error means no, so only a value that meddles with the asking comes here
        counter.agreed(site, None, [])
        agreed = True
    counter.tell(b".")
    return agreed


def judged(site: Condition, result: object, operands: Sequence[object], counter: Tally) -> object:
    if site.stumbled:
        counter.agreed(site, None, [])
        return True
    if site.strayed and not result:
        counter.agreed(site, None, who_answers(*(Side(site, site.node, each) for each in operands)))
        return True
    if not result:
        if not bindings.is_sheltered(site):
            counter.record(site)  # the assertion failed; it is still open whether the test fails too
        return result
    test = site.node
    if len(operands) == 2 and isinstance(test, ast.Compare):
        sides = [Side(site, test.left, operands[0]), Side(site, test.comparators[0], operands[1])]
        if any(passes(*attempt) for attempt in attempts(type(test.ops[0]), *sides)):
            holds = type(test.ops[0]) is ast.In and says_no(operator.contains, [fresh()], operands[0])
            counter.agreed(site, container(operands[1]) if holds else None, who_answers(*sides))
            return True
    counter.record(site)
    return False


def ask_before(site: Condition, test: ast.Compare, values: tuple[object, object], counter: Tally) -> None:
    """Puts plain questions before the real one: a value that counts, or learns from what it is asked, cannot tell them
    from it. `strayed`: it said yes to a first question; an honest value may, but then says yes to the real one too.
    `stumbled`: it could not even be asked."""
    site.strayed = site.stumbled = False
    try:
        left, right = Side(site, test.left, values[0]), Side(site, test.comparators[0], values[1])
        site.strayed = strays(type(test.ops[0]), left, right, counter)
    except BaseException:
        site.stumbled = True


def strays(kind: type[ast.cmpop], left: Side, right: Side, counter: Tally) -> bool:
    counter.tell(b"?")
    return any([says_yes_first(*each, counter) for each in questions(kind, left, right)])


def questions(kind: type[ast.cmpop], left: Side, right: Side) -> Iterator[tuple[object, Sequence[object]]]:
    """Pairs of a value to ask and the values to ask it about. No value is asked whether it contains something, because
    that may use it up."""
    for one, other in pairs(left, right) if kind is ast.Eq else ():
        for asked, about in ((one, other), (other, one)):
            if asked.answers_by("__eq__"):
                yield asked.value, unlike(about.value)


def says_yes_first(value: object, others: Sequence[object], counter: Tally) -> bool:
    """Asks a random number of times, so that no value can wait for the last question."""
    if not others:
        return False
    first, *more = draw.sample(others, draw.randint(1, len(others)))
    yes = passes(operator.eq, value, first)
    if yes:
        counter.tell(b"!")
    for other in more:
        passes(operator.eq, value, other)
    return yes
