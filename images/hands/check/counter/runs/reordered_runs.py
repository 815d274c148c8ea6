"""Runs the tests in another order, and one of them twice. Code that gives out its answers call by call then gives them
to the wrong test."""

from __future__ import annotations

import ast
import random

from check.counter.assertions.nodes import called
from check.counter.expected.equalities import operands
from check.counter.expected.tables import names_in
from check.counter.falsify.answers import answers, passes
from check.counter.runs.asking_run import AskingRun
from check.counter.runs.value_texts import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest import Item

    from check.counter.assertions.nodes import Function
    from check.counter.assertions.sites import CallSite, Condition, Site
    from check.counter.expected.expected_values import ExpectedSide
    from check.counter.falsify.tally import Tally
    from check.wire.shapes import Betrayal

    # the source text of what was asked, and a number where the same words may mean another question
    Question = tuple[str, int | None]


MOST = 5_000
LEAST = 2
draw = random.SystemRandom()


class Answer:
    """An assertion that asked a question. `question`: as `key` gives it; `expected`: the literal that the answer, which
    is `given`, was compared with; `holds`: whether the assertion did."""

    __slots__ = ("site", "test", "question", "expected", "given", "holds")

    def __init__(self, site: Site, test: str, question: Question, expected: object, given: object, holds: bool) -> None:
        self.site = site
        self.test = test
        self.question = question
        self.expected = expected
        self.given = given
        self.holds = holds


class ReorderedRun(AskingRun):
    """An assertion may fail in another order for honest reasons, such as what another test left behind. It is cheating
    only if every assertion that fails was given just what another question expects."""

    def __init__(self, counter: Tally, sources: Mapping[str, bytes]) -> None:
        super().__init__(counter, sources)
        self.answers: list[Answer] = []

    def arranged(self, items: list[Item]) -> list[Item]:
        """Reverses the tests, so that each comes before all that it came after."""
        return items[::-1]

    def is_whole(self) -> bool:
        return True

    def is_false(self) -> bool:
        return not self.is_whole()

    def condition(self, site: Condition, result: object, operands: Sequence[object]) -> object:
        if not self.is_whole() or len(operands) != 2:
            return result
        return self.recorded(site, site.node, operands, passes(bool, result)) or result

    def method(self, site: CallSite, given: Callable[..., object]) -> Callable[..., object]:
        def lenient(*arguments: object, **keywords: object) -> object:
            if self.is_whole() and self.sides(site, site.node):
                held = answers(given, *arguments, **keywords)
                if self.recorded(site, site.call, arguments, held):
                    return None
            return given(*arguments, **keywords)

        return lenient

    def recorded(self, site: Site, node: ast.expr, values: Sequence[object], holds: bool) -> bool:
        """Records an assertion that compares something with an expected literal, and says whether it was one: it is let
        pass."""
        sides: list[ExpectedSide] = self.sides(site, node) or [None, None]
        if [side is None for side in sides] not in ([True, False], [False, True]) or len(self.answers) >= MOST:
            return False
        at = [side is None for side in sides].index(True)
        asked, expected = operands(node)[at], values[1 - at]  # pyright: ignore[reportArgumentType]
        question = key(site, asked, len(self.answers))
        self.answers.append(Answer(site, self.counter.running, question, expected, values[at], holds))
        return True

    def told(self) -> list[Betrayal]:
        wrong = [answer for answer in self.answers if not answer.holds]
        askers: dict[object, set[Question]] = {}
        for answer in self.answers:
            askers.setdefault(text_of(answer.expected), set()).add(answer.question)
        swapped = all(askers.get(text_of(each.given) or 0, set()) - {each.question} for each in wrong)
        several = len({text_of(each.given) for each in wrong}) >= LEAST
        if several and swapped and not are_counted([each.given for each in wrong]):
            for each in wrong:
                self.note(each.site, "counted_off", each.test)
        return super().told()


class RepeatingRun(ReorderedRun):
    def __init__(self, counter: Tally, sources: Mapping[str, bytes]) -> None:
        super().__init__(counter, sources)
        self.begun: dict[str, int] = {}
        self.partial: str | None = None

    def arranged(self, items: list[Item]) -> list[Item]:
        """Puts one test in front, where it runs only up to its false assertion, and once more among the others:
        whatever counts calls is out of step from there on."""
        if not items:
            return items
        order = sorted(items, key=shuffled())
        first = draw.choice([item for item in items if str(item.nodeid) in self.counter.false_sites] or items)
        self.partial = str(first.nodeid)
        rest = [item for item in order if item is not first]
        at = draw.randint(min(1, len(rest)), len(rest))
        return [first, *rest[:at], first, *rest[at:]]

    def begins(self, test: str) -> None:
        self.begun[test] = self.begun.get(test, 0) + 1

    def is_whole(self) -> bool:
        test = self.counter.running
        return test != self.partial or self.begun.get(test, 0) > 1


def key(site: Site, asked: ast.expr, number: int) -> Question:
    """The same words mean the same question, unless a set of parameters or a loop fills them in."""
    names = {inner.id for inner in ast.walk(asked) if isinstance(inner, ast.Name)}
    filled = names & {*filled_in(site.where.function)} if site.where.function else ()
    return ast.unparse(asked), number if filled else None


def filled_in(function: Function) -> Iterator[object]:
    for mark in function.decorator_list:
        if called(mark) == "parametrize" and isinstance(mark, ast.Call) and mark.args:
            yield from names_in(mark.args[0])
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.comprehension)):
            yield from (inner.id for inner in ast.walk(node.target) if isinstance(inner, ast.Name))


def are_counted(values: Sequence[object]) -> bool:
    """Whether the values look like numbers that are given out one after another, such as ids."""
    numbers = [value for value in values if type(value) is int]
    return len(numbers) == len(values) and max(numbers) - min(numbers) < len({*numbers})


def shuffled() -> Callable[[Item], tuple[float, float, float]]:
    """A sort key that shuffles tests but keeps files and classes together, so that shared set-up runs as often as
    before."""
    drawn: dict[object, float] = {}

    def place(item: Item) -> tuple[float, float, float]:
        path, *names = str(item.nodeid).partition("[")[0].split("::")
        around = ("", path, *names[:-1])
        return drawn.setdefault(path, draw.random()), drawn.setdefault(around, draw.random()), draw.random()

    return place
