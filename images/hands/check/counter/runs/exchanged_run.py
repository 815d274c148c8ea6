"""Runs tests whose expected values have been exchanged. A computed value is now wrong, and is let pass; a value that is
right was read from the tests."""

from __future__ import annotations

import ast
import itertools
import operator

from check.counter.falsify.answers import answers, passes
from check.counter.falsify.attempts import is_collection, says_yes_to_all
from check.counter.falsify.sides import Side
from check.counter.falsify.unlike import unlike
from check.counter.runs.asking_run import AskingRun
from check.counter.runs.other_pieces import DEEPEST, DICT, PLAIN, with_others
from check.project.kinds import is_one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from check.counter.assertions.nested import Nested
    from check.counter.assertions.sites import CallSite, Condition, Place
    from check.counter.expected.exchange import ExchangedSources
    from check.counter.expected.expected_values import ExpectedSide
    from check.counter.falsify.tally import Tally

LOOKS = 3
MOST_ALONE = 20


class ExchangedRun(AskingRun):
    def __init__(self, counter: Tally, exchanged: ExchangedSources) -> None:
        super().__init__(counter, exchanged.sources)
        self.values, self.turned = exchanged.values, exchanged.turned

    def condition(self, site: Condition, result: object, operands: Sequence[object]) -> object:
        holds = passes(bool, result)
        node = site.node
        if site.alone and (site.file.path, node.lineno) in self.turned:
            self.agrees(site, holds)
            return True
        sides = self.sides(site, node)
        if sides is None:
            return result if holds or not self.goes_through_places(site) else True
        if operands:
            self.keep(site, operands)
        values = operands or (None, None)
        if not self.is_exchanged(sides, values):
            return result
        self.agrees(site, holds and self.is_told(site, values))
        return True

    def method(self, site: CallSite, given: Callable[..., object]) -> Callable[..., object]:
        sides = self.sides(site, site.node)

        def lenient(*arguments: object, **keywords: object) -> object:
            if sides is not None:
                self.keep(site, arguments[:2])
            if sides is None or not self.is_exchanged(sides, arguments):
                return given(*arguments, **keywords)
            held = answers(given, *arguments, **keywords)
            self.agrees(site, held and self.is_told(site, arguments))
            return None

        return lenient

    def compared(self, site: Nested, operation: type[ast.cmpop], left: object, right: object) -> None:
        sides = self.sides(site, site.node)
        if sides is not None:
            self.keep(site, (left, right))
        if sides is not None and self.is_exchanged(sides, (left, right)):
            held = passes(operator.eq, left, right)
            self.agrees(site, held and self.is_told(site, (left, right)))

    def goes_through_places(self, site: Condition) -> bool:
        """Whether a comparison inside the assertion is one with an expected value."""
        return any(self.sides(site, node) for node in ast.walk(site.node) if isinstance(node, ast.Compare))

    def agrees(self, site: Place, does: bool) -> None:
        if does:
            self.note(site, "looked_up")

    def is_exchanged(self, sides: Iterable[ExpectedSide], values: Iterable[object]) -> bool:
        return any(side and self.holds_exchanged(side, value) for side, value in zip(sides, values, strict=False))

    def holds_exchanged(self, side: ExpectedSide, value: object) -> bool:
        pieces = side if type(side) is list else [*pieces_of(value)]
        return any(type(each) is bool or self.was_exchanged(each) for each in pieces)

    def is_told(self, site: Place, values: Sequence[object]) -> bool:
        """Whether an agreement shows that the value was read in the tests: a value that agrees with others as well
        shows nothing."""
        left, right = (Side(site, site.node, value) for value in values[:2])
        if left.may_agree("__eq__") or right.may_agree("__eq__"):
            return False
        both = ((left, right), (right, left))
        if any(says_yes_to_all(one.value, unlike(other.value)) for one, other in both):
            return False
        return not any(self.is_left_out(one, other.value) for one, other in both)

    def is_left_out(self, one: Side, other: object) -> bool:
        """Whether an equality of the project leaves out just what was exchanged, as one of versions leaves out the
        build: it agrees with any other exchange of that, and notices another piece that is exchanged alone."""
        again = [with_others(other, self.was_exchanged) for _ in range(LOOKS)]
        if not one.answers_by("__eq__") or again[0] is other:
            return False
        left = [number for number, piece in enumerate(pieces_of(other)) if not self.was_exchanged(piece)]
        alone = [with_others(other, chosen_at(number)) for number in left[:MOST_ALONE]]
        agrees = all([passes(operator.eq, one.value, each) for each in again])
        return agrees and not all([passes(operator.eq, one.value, each) for each in alone])

    def was_exchanged(self, piece: object) -> bool:
        return (type(piece), piece) in self.values


def pieces_of(value: object, depth: int = 0) -> Iterator[object]:
    if is_one_of(type(value), PLAIN):
        yield value
    elif is_collection(value) and depth < DEEPEST:
        for each in value:
            yield from pieces_of(each, depth + 1)
    elif type(value) is DICT and depth < DEEPEST:
        for each in value.values():
            yield from pieces_of(each, depth + 1)


def chosen_at(number: int) -> Callable[[object], bool]:
    """Chooses the piece that is met at this place."""
    places = itertools.count()
    return lambda _: next(places) == number
