"""Runs the tests in another order, and one of them twice. Code that gives out its answers call by call then gives them
to the wrong test."""

import ast
import random
from collections import namedtuple

from check.counter import falsify
from check.counter import sites as sites_in
from check.counter.asking import Asking
from check.counter.expects import names_in, operands
from check.counter.spelt import spelt

MOST = 5_000
LEAST = 2
draw = random.SystemRandom()

# `question`: the source text of what was asked, as `key` gives it
Answer = namedtuple("Answer", ["site", "test", "question", "expected", "given", "holds"])


class Reordered(Asking):
    """An assertion may fail in another order for honest reasons, such as what another test left behind. It is cheating
    only if every assertion that fails was given just what another question expects."""

    def __init__(self, counter, sources):
        super().__init__(counter, sources)
        self.answers = []

    def arranged(self, items):
        """Reverses the tests, so that each comes before all that it came after."""
        return items[::-1]

    def is_whole(self):
        return True

    def is_false(self):
        return not self.is_whole()

    def condition(self, site, result, compared):
        if not self.is_whole() or len(compared) != 2:
            return result
        return self.recorded(site, site.node, compared, falsify.passes(bool, result)) or result

    def method(self, site, given):
        def lenient(*arguments, **keywords):
            if self.is_whole() and self.sides(site, site.node):
                held = falsify.answers(given, *arguments, **keywords)
                if self.recorded(site, site.node, arguments, held):
                    return None
            return given(*arguments, **keywords)

        return lenient

    def recorded(self, site, node, values, holds):
        """Records an assertion that compares something with an expected literal, and says whether it was one: it is let
        pass."""
        sides = self.sides(site, node) or [None, None]
        if [side is None for side in sides] not in ([True, False], [False, True]) or len(self.answers) >= MOST:
            return False
        at = [side is None for side in sides].index(True)
        asked, expected = operands(node)[at], values[1 - at]
        question = key(site, asked, len(self.answers))
        self.answers.append(Answer(site, self.counter.running, question, expected, values[at], holds))
        return True

    def told(self):
        wrong = [answer for answer in self.answers if not answer.holds]
        askers = {}
        for answer in self.answers:
            askers.setdefault(spelt(answer.expected), set()).add(answer.question)
        swapped = all(askers.get(spelt(each.given) or 0, set()) - {each.question} for each in wrong)
        several = len({spelt(each.given) for each in wrong}) >= LEAST
        if several and swapped and not are_counted([each.given for each in wrong]):
            for each in wrong:
                self.note(each.site, "counted_off", each.test)
        return super().told()


class Again(Reordered):
    def __init__(self, counter, sources):
        super().__init__(counter, sources)
        self.begun, self.partial = {}, None

    def arranged(self, items):
        """Puts one test in front, where it runs only up to its false assertion, and once more among the others:
        whatever counts calls is out of step from there on."""
        if not items:
            return items
        order = sorted(items, key=places())
        first = draw.choice([item for item in items if str(item.nodeid) in self.counter.false_sites] or items)
        self.partial = str(first.nodeid)
        rest = [item for item in order if item is not first]
        at = draw.randint(min(1, len(rest)), len(rest))
        return [first, *rest[:at], first, *rest[at:]]

    def begins(self, test):
        self.begun[test] = self.begun.get(test, 0) + 1

    def is_whole(self):
        test = self.counter.running
        return test != self.partial or self.begun.get(test, 0) > 1


def key(site, asked, number):
    """The same words mean the same question, unless a set of parameters or a loop fills them in."""
    names = {inner.id for inner in ast.walk(asked) if isinstance(inner, ast.Name)}
    filled = names & {*filled_in(site.where.function)} if site.where.function else ()
    return ast.unparse(asked), number if filled else None


def filled_in(function):
    for mark in function.decorator_list:
        if sites_in.called(mark) == "parametrize" and isinstance(mark, ast.Call) and mark.args:
            yield from names_in(mark.args[0])
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.comprehension)):
            yield from (inner.id for inner in ast.walk(node.target) if isinstance(inner, ast.Name))


def are_counted(values):
    """Whether the values look like numbers that are given out one after another, such as ids."""
    return all(type(value) is int for value in values) and max(values) - min(values) < len({*values})


def places():
    """A sort key that shuffles tests but keeps files and classes together, so that shared set-up runs as often as
    before."""
    drawn = {}

    def place(item):
        path, *names = str(item.nodeid).partition("[")[0].split("::")
        around = ("", path, *names[:-1])
        return drawn.setdefault(path, draw.random()), drawn.setdefault(around, draw.random()), draw.random()

    return place
