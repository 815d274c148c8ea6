"""Makes a chosen call false that asserts something: a method of unittest, or a context that expects an exception."""

from __future__ import annotations

import ast
import operator

from check.counter.falsify.answers import answers, passes
from check.counter.falsify.attempts import agrees_within, attempts
from check.counter.falsify.first_questions import asked_first
from check.counter.falsify.sides import Side, pairs
from check.counter.falsify.strangers import fresh, private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from check.counter.assertions.sites import CallSite
    from check.counter.falsify.tally import Tally

    Arguments = tuple[object, ...]

EQUALITIES = {f"assert{name}Equal" for name in ("", "List", "Tuple", "Set", "Dict", "Sequence", "MultiLine")}
COMPARING: dict[str, type[ast.cmpop]] = {
    **dict.fromkeys(EQUALITIES, ast.Eq),
    **{"assertIs": ast.Is, "assertIn": ast.In},
    **{"assertLess": ast.Lt, "assertLessEqual": ast.LtE, "assertGreater": ast.Gt, "assertGreaterEqual": ast.GtE},
}
NEVER_MATCHES = r"(?!)"


def expected(site: CallSite) -> type:
    return private(Warning if "arn" in site.name else Exception)


def method(site: CallSite, given: Callable[..., object], counter: Tally) -> Callable[..., object]:
    """Calls the method of unittest with arguments that it has to refuse. It raises its own error, unless something
    keeps it from that."""

    def refusing(*arguments: object, **keywords: object) -> object:
        counter.record(site)
        if site.name in COMPARING and is_agreed(site, arguments, counter, lambda: answers(given, *arguments, **keywords)):
            counter.tell(b"+")
            return None
        failure: Exception = AssertionError()
        for changed in refused_arguments(site, arguments):
            try:
                return given(*changed, **keywords)
            except Exception as error:
                failure = error
        counter.tell(b".")
        raise failure

    return refusing


def is_agreed(site: CallSite, arguments: Arguments, counter: Tally, holds: Callable[[], bool]) -> bool:
    """Asks as a plain comparison is asked. A value that cannot be asked is found out. `holds`: whether the call raises
    nothing as it stands."""
    try:
        return agrees(site, arguments, counter, holds)
    except BaseException:
        return True


def agrees(site: CallSite, arguments: Arguments, counter: Tally, holds: Callable[[], bool]) -> bool:
    left, right = (Side(site, site.call.args[at], value) for at, value in enumerate(arguments[:2]))
    kind = COMPARING[site.name]
    first = asked_first(kind, left, right, counter)
    if first.wavered or kind is not ast.Eq:
        return first.wavered and holds()
    if not passes(operator.eq, left.value, right.value):
        return first.strayed
    return first.breaks_off() or any(passes(*attempt) for attempt in attempts(ast.Eq, left, right))


def refused_arguments(site: CallSite, arguments: Arguments) -> list[Arguments]:
    own, name = fresh(), site.name
    always: dict[str, Arguments] = {
        "assertNotEqual": (own, own),
        "assertIsNot": (own, own),
        "assertIsNone": (own,),
        "assertIsNotNone": (None,),
        "assertNotIn": (own, [own]),
        "assertNotIsInstance": (own, object),
        "assertNotAlmostEqual": (1, 1),
        "assertNotRegex": ("", ""),
    }
    first, second = [*arguments, None][:2]
    if name in ("assertTrue", "assertFalse"):
        return [(not first, *arguments[1:])]
    if name == "assertRegex":
        return [(first, NEVER_MATCHES, *arguments[2:])]
    if name in always:
        return [(*always[name], *arguments[len(always[name]) :])]
    return two_sided(site, first, second, arguments[2:])


def two_sided(site: CallSite, first: object, second: object, rest: Arguments) -> list[Arguments]:
    left, right = (Side(site, site.call.args[at], value) for at, value in enumerate((first, second)))
    if site.name == "assertIn":
        agreeable = right.may_agree("__contains__") or agrees_within(right)
        return [*([] if agreeable else [(fresh(), second, *rest)]), *sided(left, [(first, [fresh()], *rest)])]
    found: list[Arguments] = []
    for one, other in pairs(left, right) if "Equal" in site.name else [(left, right)]:
        found += sided(one, [(one.value, fresh(), *rest)])
        found += sided(other, [(fresh(), other.value, *rest)])
    return found or [(fresh(), fresh(), *rest)]


def sided(side: Side, changed: list[Arguments]) -> list[Arguments]:
    return [] if side.may_agree("__eq__") else changed
