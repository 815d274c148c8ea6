"""Runs tests whose expected values have been exchanged. A computed value is now wrong, and is let pass; a value that is
right was read from the tests."""

import ast
import operator

from check.counter import falsify
from check.counter.asking import Asking

PLAIN = (bool, int, float, str, bytes)
HELD_IN = (list, tuple, set, frozenset)
DEEPEST = 9


class Changed(Asking):
    def __init__(self, counter, exchanged):
        super().__init__(counter, exchanged.sources)
        self.values, self.turned = exchanged.values, exchanged.turned

    def condition(self, site, result, operands):
        holds = falsify.passes(bool, result)
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

    def method(self, site, given):
        sides = self.sides(site, site.node)

        def lenient(*arguments, **keywords):
            if sides is not None:
                self.keep(site, arguments[:2])
            if sides is None or not self.is_exchanged(sides, arguments):
                return given(*arguments, **keywords)
            held = falsify.answers(given, *arguments, **keywords)
            self.agrees(site, held and self.is_told(site, arguments))
            return None

        return lenient

    def compared(self, site, operation, left, right):
        sides = self.sides(site, site.node)
        if sides is not None:
            self.keep(site, (left, right))
        if sides is not None and self.is_exchanged(sides, (left, right)):
            held = falsify.passes(operator.eq, left, right)
            self.agrees(site, held and self.is_told(site, (left, right)))

    def goes_through_places(self, site):
        """Whether a comparison inside the assertion is one with an expected value."""
        return any(self.sides(site, node) for node in ast.walk(site.node) if isinstance(node, ast.Compare))

    def agrees(self, site, does):
        if does:
            self.note(site, "looked_up")

    def is_exchanged(self, sides, values):
        return any(side and self.holds_exchanged(side, value) for side, value in zip(sides, values, strict=False))

    def holds_exchanged(self, side, value):
        pieces = side if type(side) is list else [*pieces_of(value)]
        return any(type(each) is bool or (type(each), each) in self.values for each in pieces)

    def is_told(self, site, values):
        """Whether an agreement shows that the value was read in the tests: a value that agrees with others as well
        shows nothing."""
        left, right = (falsify.Side(site, site.node, value) for value in values[:2])
        if left.may_agree("__eq__") or right.may_agree("__eq__"):
            return False
        both = ((left, right), (right, left))
        return not any(falsify.says_yes_to_all(one.value, falsify.unlike(other.value)) for one, other in both)


def pieces_of(value, depth=0):
    if type(value) in PLAIN:
        yield value
    elif type(value) in HELD_IN and depth < DEEPEST:
        for each in value:
            yield from pieces_of(each, depth + 1)
    elif type(value) is dict and depth < DEEPEST:
        for each in value.values():
            yield from pieces_of(each, depth + 1)
