"""Tells which strings an expression can be, from constants and plain operations on them."""

from __future__ import annotations

import ast
import itertools
import re

from check.scan.names.by_kind import for_kinds
from check.scan.names.closed import is_closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from check.scan.names.by_kind import Act
    from check.scan.names.scope import Binding, Scope
    from check.scan.names.walk import Walk

    Strings = frozenset[str]

MOST = 64
MOST_STEPS = 3_000_000
LONGEST = 4096
UNTOLD = "\0"  # among the strings: there may be others, which only a run could tell
NOTHING: Strings = frozenset()
PLAIN_METHODS = {
    *["replace", "lower", "upper", "strip", "lstrip", "rstrip", "swapcase", "removeprefix", "removesuffix", "title"],
    *["capitalize", "casefold"],
}


class Tangled(Exception):
    """Raised for a file in which following the names would take for ever."""


class Texts:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = 0
        self.told: dict[int, Strings] = {}
        self.lists: dict[int, Strings] = {}

    def spend(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise Tangled

    def texts(self, node: ast.expr, scope: Scope) -> Strings:
        return self.all_texts(node, scope) - {UNTOLD}

    def is_open(self, node: ast.expr, scope: Scope) -> bool:
        """Whether there may be strings other than those found."""
        found = self.all_texts(node, scope)
        return UNTOLD in found or not found

    def is_put_together(self, node: ast.expr, scope: Scope) -> bool:
        """Whether a name depends on nothing but the file itself and still cannot be read from it."""
        return self.is_open(node, scope) and is_closed(node, scope, self.spend)

    def all_texts(self, node: ast.expr, scope: Scope) -> Strings:
        found = self.told.get(id(node))
        if found is None:
            self.told[id(node)] = frozenset({UNTOLD})  # a text that makes itself longer has no end
            tell = SPELLERS.get(type(node), Texts.untold)
            found = frozenset(itertools.islice(tell(self, node, scope), MOST)) or frozenset({UNTOLD})
            self.told[id(node)] = found
        self.spend()
        return found

    def untold(self, node: ast.expr, scope: Scope) -> Iterator[str]:
        yield UNTOLD

    def constant(self, node: ast.Constant, scope: Scope) -> Iterator[str]:
        yield node.value if isinstance(node.value, str) else UNTOLD

    def binary(self, node: ast.BinOp, scope: Scope) -> Iterator[str]:
        left, right = self.all_texts(node.left, scope), self.all_texts(node.right, scope)
        if isinstance(node.op, ast.Add):
            yield from joined([left, right])
        else:
            yield from called("__mod__", [left, right]) if isinstance(node.op, ast.Mod) else [UNTOLD]

    def formatted(self, node: ast.JoinedStr, scope: Scope) -> Iterator[str]:
        pieces = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        yield from joined([self.all_texts(piece, scope) for piece in pieces])

    def either(self, node: ast.IfExp | ast.BoolOp, scope: Scope) -> Iterator[str]:
        branches = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        for branch in branches:
            yield from self.all_texts(branch, scope)

    def same(self, node: ast.NamedExpr | ast.Starred, scope: Scope) -> Iterator[str]:
        yield from self.all_texts(node.value, scope)

    def name(self, node: ast.Name, scope: Scope) -> Iterable[str]:
        bindings = scope.find(node.id)
        if not bindings:
            return {UNTOLD}
        if id(bindings) not in self.told:
            self.told[id(bindings)] = frozenset({UNTOLD})
            self.told[id(bindings)] = frozenset(itertools.islice(self.bound(bindings), MOST)) or frozenset({UNTOLD})
        return self.told[id(bindings)]

    def bound(self, bindings: Iterable[Binding]) -> Iterator[str]:
        for binding in bindings:
            self.spend()
            if binding[0] == "value":
                yield from self.all_texts(binding[1], binding[2])
            elif binding[0] == "each":
                yield from self.any_part(binding[1], binding[2])
            elif binding[0] != "holds":
                yield UNTOLD

    def any_part(self, node: ast.expr, scope: Scope) -> Strings:
        key = scope.find(node.id) if isinstance(node, ast.Name) else node
        if id(key) not in self.lists:
            self.lists[id(key)] = frozenset({UNTOLD})
            found = [self.all_texts(inner, its) for inner, its in self.parts(node, scope)]
            self.lists[id(key)] = frozenset(itertools.islice(NOTHING.union(*found), MOST)) or frozenset({UNTOLD})
        return self.lists[id(key)]

    def subscript(self, node: ast.Subscript, scope: Scope) -> Iterator[str]:
        yield from self.any_part(node.value, scope)

    def attribute(self, node: ast.Attribute, scope: Scope) -> Iterable[str]:
        stored = self.walk.bindings.attributes.get(node.attr)
        if not stored:
            return {UNTOLD}
        if id(stored) not in self.told:
            self.told[id(stored)] = frozenset({UNTOLD})
            found = self.bound([binding for binding in stored if binding[0] == "value"])
            self.told[id(stored)] = frozenset(itertools.islice(found, MOST)) | {UNTOLD}
        return self.told[id(stored)]

    def method(self, node: ast.Call, scope: Scope) -> Iterator[str]:
        """The strings that the plain methods of a string can return."""
        method = node.func
        if not isinstance(method, ast.Attribute):
            yield UNTOLD
        elif method.attr == "join" and len(node.args) == 1 and isinstance(node.args[0], (ast.List, ast.Tuple)):
            between = self.all_texts(method.value, scope)
            parts = [self.all_texts(piece, scope) for piece in node.args[0].elts]
            yield from joined([part for pair in parts for part in (between, pair)][1:])
        elif method.attr in PLAIN_METHODS and not node.keywords:
            yield from called(method.attr, [self.all_texts(one, scope) for one in (method.value, *node.args)])
        else:
            yield UNTOLD

    def parts(self, node: ast.expr, scope: Scope, depth: int = 4) -> Iterator[tuple[ast.expr, Scope]]:
        """The elements of a literal, also if a name stands for it."""
        self.spend(1 + len(getattr(node, "elts", ())) + len(getattr(node, "keys", ())))
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            for element in node.elts:
                yield element, scope
        elif isinstance(node, ast.Dict):
            for element in (*node.keys, *node.values):
                if element is not None:
                    yield element, scope
        elif isinstance(node, ast.Name) and depth:
            for binding in scope.find(node.id) or ():
                if binding[0] == "value":
                    yield from self.parts(binding[1], binding[2], depth - 1)
                elif binding[0] == "holds":
                    yield binding[1], binding[2]


def joined(parts: Sequence[Strings]) -> Iterator[str]:
    for pieces in itertools.islice(itertools.product(*parts), MOST):
        plain = UNTOLD not in pieces and sum(map(len, pieces)) < LONGEST
        yield "".join(pieces) if plain else UNTOLD


def called(name: str, parts: Sequence[Strings]) -> Iterator[str]:
    for base, *given in itertools.islice(itertools.product(*parts), MOST):
        if UNTOLD in (base, *given) or sum(map(len, (base, *given))) >= LONGEST or re.search(r"%\D*\d", base):
            yield UNTOLD
            continue
        try:
            yield getattr(base, name)(*given)
        except (TypeError, ValueError):
            yield UNTOLD


SPELLERS: dict[type[ast.AST], Act[Texts, Iterable[str]]] = {
    **for_kinds(Texts.constant, ast.Constant),
    **for_kinds(Texts.binary, ast.BinOp),
    **for_kinds(Texts.formatted, ast.JoinedStr),
    **for_kinds(Texts.either, ast.IfExp, ast.BoolOp),
    **for_kinds(Texts.same, ast.NamedExpr, ast.Starred),
    **for_kinds(Texts.name, ast.Name),
    **for_kinds(Texts.subscript, ast.Subscript),
    **for_kinds(Texts.attribute, ast.Attribute),
    **for_kinds(Texts.method, ast.Call),
}
