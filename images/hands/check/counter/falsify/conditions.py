"""Makes a chosen condition false. It stays true only if something agrees with whatever it is compared with."""

from __future__ import annotations

import ast
import operator

from check.counter.assertions import bindings
from check.counter.falsify.answers import passes, says_no
from check.counter.falsify.attempts import attempts
from check.counter.falsify.first_questions import asked_first
from check.counter.falsify.sides import Side, container, who_answers
from check.counter.falsify.strangers import fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from check.counter.assertions.sites import Condition
    from check.counter.falsify.tally import Tally


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
    first = counter.first.pop(site.id, None)
    if first == "failed":
        counter.agreed(site, None, [])
        return True
    if first is not None and ((first.wavered or first.breaks_off()) if result else first.strayed):
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
    try:
        left, right = Side(site, test.left, values[0]), Side(site, test.comparators[0], values[1])
        counter.first[site.id] = asked_first(type(test.ops[0]), left, right, counter)
    except BaseException:
        counter.first[site.id] = "failed"
