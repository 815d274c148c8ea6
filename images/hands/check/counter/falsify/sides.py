"""Tells what decides about a comparison: the values on its two sides, and the code that answers for each."""

from __future__ import annotations

import types
import unittest.mock

from check.counter.assertions import bindings
from check.counter.falsify.contents import within
from check.counter.falsify.unlike import UNLIKE
from check.project import options, origin
from check.project.kinds import is_kind_of, mro_of, name_of, table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from check.counter.assertions.sites import Place

MOST_PAIRS = 1_000
DEEPEST = 20
MOST_NAMES = 20
MOCK = unittest.mock.__file__


class Side:
    """One operand of a comparison, and whether the test itself made it agree with everything."""

    def __init__(self, site: Place, expression: ast.expr, value: object) -> None:
        self.site = site
        self.expression = expression
        self.value = value

    def part(self, value: object) -> Side:
        return Side(self.site, self.expression, value)

    def answers_by(self, method: str) -> bool:
        """Whether the method is code of neither Python nor the tests."""
        defined = definition(type(self.value), method)
        return type(defined) is not types.WrapperDescriptorType and defined is not None and not self.may_agree(method)

    def is_marker(self) -> bool:
        """Whether the value is of a class of the project that may honestly have only equal values, such as an end of
        file."""
        kind = type(self.value)
        plain = any(is_kind_of(kind, known) for known, _ in UNLIKE[:-1])
        return not plain and any(path.startswith(origin.TREE) for path in origin.own_files(kind))

    def may_agree(self, method: str) -> bool:
        defined = definition(type(self.value), method)
        if type(defined) is types.FunctionType and defined.__code__.co_filename.startswith(options.TESTS):
            return True
        return is_of_mock(defined) and bindings.mentions_mock(self.site, self.expression)


def pairs(left: Side, right: Side, depth: int = 0, count: list[int] | None = None) -> Iterator[tuple[Side, Side]]:
    """The two values and all pairs inside them that an equality compares: an agreeable value may sit anywhere."""
    count = count or [0]
    count[0] += 1
    if count[0] > MOST_PAIRS or depth > DEEPEST:
        return
    yield left, right
    for each, opposite in within(left.value, right.value):
        yield from pairs(left.part(each), right.part(opposite), depth + 1, count)


def container(value: object) -> types.FunctionType | None:
    """The project's function that decides whether a value contains another; None if the library decides."""
    defined = definition(type(value), "__contains__")
    return defined if type(defined) is types.FunctionType else None


def who_answers(left: Side, right: Side) -> list[str]:
    """Names of the project's classes that decide about a comparison: a task may ask for one that agrees with everything."""
    found: dict[str, bool] = {}
    for one, other in pairs(left, right):
        for kind in (type(each.value) for each in (one, other)):
            if any(path.startswith(origin.TREE) for path in origin.own_files(kind)):
                found[name_of(kind)] = True
    return [*found][:MOST_NAMES]


def definition(kind: type, method: str) -> object:
    return next((table_of(each)[method] for each in mro_of(kind) if method in table_of(each)), None)


def is_of_mock(defined: object) -> bool:
    if type(defined) is types.FunctionType:
        return defined.__code__.co_filename == MOCK
    return type(defined) is unittest.mock.MagicProxy
