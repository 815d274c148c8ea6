"""Makes a chosen assertion false. It stays true only if something agrees with whatever it is compared with, or keeps
the failure from being raised."""

import ast
import collections
import datetime
import decimal
import enum
import fractions
import operator
import pathlib
import random
import secrets
import string
import types
import unittest.mock

from check.counter import bindings, order
from check.project import options, origin

MOST_PAIRS = 1_000
DEEPEST = 20
MOST_NAMES = 20
OPPOSITE = {operator.lt: operator.ge, operator.le: operator.gt, operator.gt: operator.le, operator.ge: operator.lt}


def disorderly(compare):
    """An honest value that lies before everything, such as an infinity, denies lying behind it; a value that agrees
    with everything does not. A value that cannot answer the opposite question is honest if it denies lying before its
    like."""

    def is_disorderly(one, other):
        if not compare(one, other) or says_no(OPPOSITE[compare], one, other):
            return False
        refuses_its_like = any(says_no(compare, each, like(each)) for each in (one, other))
        return answers(OPPOSITE[compare], one, other) or not refuses_its_like

    return is_disorderly


PROBED = {
    ast.Eq: (operator.eq, "__eq__"),
    ast.Lt: (disorderly(operator.lt), "__lt__"),
    ast.LtE: (disorderly(operator.le), "__le__"),
    ast.Gt: (disorderly(operator.gt), "__gt__"),
    ast.GtE: (disorderly(operator.ge), "__ge__"),
    ast.Is: (operator.is_, "__eq__"),
}
ORDER = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
EQUALITIES = {f"assert{name}Equal" for name in ("", "List", "Tuple", "Set", "Dict", "Sequence", "MultiLine")}
MOCK = unittest.mock.__file__
NEVER_MATCHES = r"(?!)"
draw = random.SystemRandom()


def condition(site, result, operands, counter):
    agreed = judged(site, result, operands, counter)
    counter.tell(b".")
    return agreed


def judged(site, result, operands, counter):
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


def ask_before(site, left, right, counter):
    """Puts plain questions before the real one: a value that counts, or learns from what it is asked, cannot tell them
    from it. `strayed`: it said yes to a first question; an honest value may, but then says yes to the real one too."""
    test = site.node
    sides = [Side(site, test.left, left), Side(site, test.comparators[0], right)]
    site.strayed = strays(type(test.ops[0]), *sides, counter)


def strays(kind, left, right, counter):
    counter.tell(b"?")
    return any([says_yes_first(*each, counter) for each in questions(kind, left, right)])


def questions(kind, left, right):
    """Pairs of a value to ask and the values to ask it about. No value is asked whether it contains something, because
    that may use it up."""
    for one, other in pairs(left, right) if kind is ast.Eq else ():
        for asked, about in ((one, other), (other, one)):
            if asked.answers_by("__eq__"):
                yield asked.value, unlike(about.value)


def says_yes_first(value, others, counter):
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


def container(value):
    """The project's function that decides whether a value contains another; None if the library decides."""
    defined = definition(type(value), "__contains__")
    return defined if type(defined) is types.FunctionType else None


def who_answers(left, right):
    """Names of the project's classes that decide about a comparison: a task may ask for one that agrees with everything."""
    found = {}
    for one, other in pairs(left, right):
        for kind in (type(each.value) for each in (one, other)):
            if any(path.startswith(origin.TREE) for path in origin.own_files(kind)):
                found[origin.of_class(kind, "__name__")] = True
    return [*found][:MOST_NAMES]


def says_no(test, *given):
    try:
        return not test(*given)
    except BaseException:
        return False


def passes(test, *given):
    try:
        return bool(test(*given))
    except BaseException:
        return False


def answers(test, *given):
    try:
        test(*given)
    except BaseException:
        return False
    return True


class Side:
    """One operand of a comparison, and whether the test itself made it agree with everything."""

    def __init__(self, site, expression, value):
        self.site = site
        self.expression = expression
        self.value = value

    def part(self, value):
        return Side(self.site, self.expression, value)

    def answers_by(self, method):
        """Whether the method is code of neither Python nor the tests."""
        defined = definition(type(self.value), method)
        return type(defined) is not types.WrapperDescriptorType and defined is not None and not self.may_agree(method)

    def is_marker(self):
        """Whether the value is of a class of the project that may honestly have only equal values, such as an end of
        file."""
        kind = type(self.value)
        plain = any(issubclass(kind, known) for known, _ in UNLIKE[:-1])
        return not plain and any(path.startswith(origin.TREE) for path in origin.own_files(kind))

    def may_agree(self, method):
        defined = definition(type(self.value), method)
        if type(defined) is types.FunctionType and defined.__code__.co_filename.startswith(options.TESTS):
            return True
        return is_of_mock(defined) and bindings.mentions_mock(self.site, self.expression)


def definition(kind, method):
    return next((vars(each)[method] for each in type.mro(kind) if method in vars(each)), None)


def is_of_mock(defined):
    if type(defined) is types.FunctionType:
        return defined.__code__.co_filename == MOCK
    return type(defined) is unittest.mock.MagicProxy


def attempts(kind, left, right):
    """Comparisons that an honest value passes none of."""
    if kind is ast.In:
        yield from containing(left, right)
    elif kind is ast.Eq:
        for one, other in pairs(left, right):
            yield from equal(one, other)
    elif kind in PROBED:
        compare, method = PROBED[kind]
        yield from either(compare, method, left, right)
        yield from on_both_sides(kind, left, right)


def either(compare, method, left, right):
    if not left.may_agree(method):
        yield compare, left.value, fresh()
    if not right.may_agree(method):
        yield compare, fresh(), right.value


def on_both_sides(kind, left, right):
    compare = ORDER.get(kind)
    both = ((compare, left, right), (order.MIRRORED.get(compare), right, left))
    for asserted, one, other in both if compare else ():
        contrary, others = order.contradictions(asserted, other.value)
        if one.answers_by(PROBED[kind][1]) and others:
            yield says_yes_to_each(contrary), one.value, others


def says_yes_to_each(compare):
    return lambda value, others: all([passes(compare, value, other) for other in others])


def equal(left, right):
    """Plain questions come first: an unusual one tells the value that it is being tested."""
    for one, other in ((left, right), (right, left)):
        if one.answers_by("__eq__") and not other.is_marker():
            yield says_yes_to_all, one.value, unlike(other.value)
    yield from either(operator.eq, "__eq__", left, right)


def says_yes_to_all(value, others):
    return bool(others) and all([passes(operator.eq, value, other) for other in others])


def unlike(value):
    """Other values of the same kind, the empty one among them; nothing honest equals all of them."""
    others = next(others for kind, others in UNLIKE if issubclass(type(value), kind))
    try:
        return others(value)
    except Exception:
        return []


def other_numbers(value):
    return [value + 1, value - 1, value * 3 + 7, value * 0 if value else value + 5]


def longer(more):
    kind = type(more)

    def others(value):
        return [kind.__add__(value, more), more, more + more, kind() if kind.__len__(value) else more + more + more]

    return others


def other_sets(value):
    return [{*value, "q7"}, {"q7"}, set() if value else {"q7", "q8"}]


def other_dicts(value):
    return [{**value, "q7": 7}, {"q7": 7}, {} if value else {"q7": 7, "q8": 8}]


def other_times(value):
    return [value + datetime.timedelta(days=days) for days in (1, -1, 3007)]


def other_members(value):
    return [member for member in type(value) if member is not value][:3]


def altered(value):
    """A copy in which every attribute is exchanged; none if there are no attributes."""
    held = attributes(value)
    return [holding(type(value), {name: fresh() for name in held})] if held else []


def like(value):
    """Returns an equal copy, or the value itself when it cannot be copied."""
    held = attributes(value)
    try:
        return holding(type(value), held) if held else value
    except Exception:
        return value


def holding(kind, held):
    """Makes an object without the class's own code, which may do anything when it is asked for a copy, even run out of
    memory."""
    makers = (vars(each).get("__new__") for each in type.mro(kind))
    made = next(make for make in makers if type(make) is types.BuiltinFunctionType)(kind)
    for name, value in held.items():
        object.__setattr__(made, name, value)
    return made


UNLIKE = (
    (enum.Enum, other_members),
    (bool, lambda value: [not value]),
    (int, lambda value: other_numbers(int.__add__(value, 0))),
    (float, lambda value: [float.__add__(value, 1.5), -float.__add__(value, 2.5), 0.0 if value else 5.5]),
    ((complex, decimal.Decimal, fractions.Fraction), other_numbers),
    (str, longer("q7")),
    (bytes, longer(b"q7")),
    (list, longer(["q7"])),
    (tuple, longer(("q7",))),
    ((set, frozenset), other_sets),
    (dict, other_dicts),
    ((datetime.date, datetime.timedelta), other_times),
    (pathlib.PurePath, lambda value: [value / "q7", type(value)("q7"), value.parent / "q7" / "q7"]),
    (type(None), lambda _: [0, "q7", (), False]),
    (object, altered),
)


def pairs(left, right, depth=0, count=None):
    """The two values and all pairs inside them that an equality compares: an agreeable value may sit anywhere."""
    count = count or [0]
    count[0] += 1
    if count[0] > MOST_PAIRS or depth > DEEPEST:
        return
    yield left, right
    for each, opposite in within(left.value, right.value):
        yield from pairs(left.part(each), right.part(opposite), depth + 1, count)


def within(one, other):
    """Pairs of what two values hold in the same places, read past the methods of their classes."""
    for kind in (list, tuple, collections.deque):
        if are_both(kind, one, other):
            return list(zip(kind.__iter__(one), kind.__iter__(other), strict=False))
    if are_both(dict, one, other):
        return [(dict.get(one, key), dict.get(other, key)) for key in dict.__iter__(one) if dict.__contains__(other, key)]
    held, opposite = attributes(one), attributes(other)
    return [(held[name], opposite[name]) for name in held if name in opposite] if type(one) is type(other) else []


def are_both(kind, one, other):
    """Goes by the real classes, whatever the values claim these are."""
    return issubclass(type(one), kind) and issubclass(type(other), kind)


def attributes(value):
    if issubclass(type(value), (type, types.ModuleType, types.FunctionType)):
        return {}
    try:
        held = object.__getattribute__(value, "__dict__")
    except Exception:
        return {}
    return held if type(held) is dict else {}


def containing(left, right):
    inside = right.value if type(right.value) in (list, tuple, set, frozenset) else []
    agreeable_within = any(right.part(each).may_agree("__eq__") for each in inside)
    if not agreeable_within and not right.may_agree("__contains__"):
        yield lambda container: fresh() in container, right.value
        others = order.anywhere(left.value) if right.answers_by("__contains__") else []
        if others:
            yield lambda container: all([passes(operator.contains, container, each) for each in others]), right.value
    if not left.may_agree("__eq__"):
        yield lambda value: value in [fresh()], left.value


def fresh():
    """A new object that equals nothing else; the name of its class tells nothing."""
    return private()()


def private(base=object):
    name = "".join(secrets.choice(string.ascii_lowercase) for _ in range(6)).capitalize()
    return type(name, (base,), {"__module__": "__main__"})


def expected(site):
    name = site.node.func.attr if isinstance(site.node.func, ast.Attribute) else site.node.func.id
    return private(Warning if "arn" in name else Exception)


def method(site, given, counter):
    """Calls the method of unittest with arguments that it has to refuse. It raises its own error, unless something
    keeps it from that."""
    name = name_of_method(site)

    def refusing(*arguments, **keywords):
        counter.record(site)
        if name in EQUALITIES and is_agreed(site, arguments, counter):
            counter.tell(b"+")
            return None
        failure = AssertionError()
        for changed in refused_arguments(site, name, arguments):
            try:
                return given(*changed, **keywords)
            except Exception as error:
                failure = error
        counter.tell(b".")
        raise failure

    return refusing


def name_of_method(site):
    """The call's function has become a probe by now, whose argument is the original one."""
    return site.node.func.args[0].attr


def is_agreed(site, arguments, counter):
    """Asks as a plain comparison is asked."""
    left, right = (Side(site, site.node.args[at], value) for at, value in enumerate(arguments[:2]))
    strayed = strays(ast.Eq, left, right, counter)
    if not passes(operator.eq, left.value, right.value):
        return strayed
    return any(passes(*attempt) for attempt in attempts(ast.Eq, left, right))


def refused_arguments(site, name, arguments):
    own = fresh()
    always = {
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
    return two_sided(site, name, first, second, arguments[2:])


def two_sided(site, name, first, second, rest):
    left, right = (Side(site, site.node.args[at], value) for at, value in enumerate((first, second)))
    if name == "assertIn":
        inside = right.value if type(right.value) in (list, tuple, set, frozenset) else []
        agreeable = right.may_agree("__contains__") or any(right.part(each).may_agree("__eq__") for each in inside)
        return [*([] if agreeable else [(fresh(), second, *rest)]), *sided(left, [(first, [fresh()], *rest)])]
    found = []
    for one, other in pairs(left, right) if "Equal" in name else [(left, right)]:
        found += sided(one, [(one.value, fresh(), *rest)])
        found += sided(other, [(fresh(), other.value, *rest)])
    return found or [(fresh(), fresh(), *rest)]


def sided(side, changed):
    return [] if side.may_agree("__eq__") else changed
