"""Tells which strings an expression can be, from constants and plain operations on them."""

import ast
import itertools
import re

from check.scan.closed import is_closed

MOST = 64
MOST_STEPS = 3_000_000
LONGEST = 4096
UNTOLD = "\0"  # among the strings: there may be others, which only a run could tell
PLAIN_METHODS = {
    *["replace", "lower", "upper", "strip", "lstrip", "rstrip", "swapcase", "removeprefix", "removesuffix", "title"],
    *["capitalize", "casefold"],
}


class Tangled(Exception):
    """Raised for a file in which following the names would take for ever."""


class Texts:
    def __init__(self, walk):
        self.walk = walk
        self.steps = 0
        self.told = {}
        self.lists = {}

    def spend(self, steps=1):
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise Tangled

    def texts(self, node, scope):
        return self.all_texts(node, scope) - {UNTOLD}

    def is_open(self, node, scope):
        """Whether there may be strings other than those found."""
        found = self.all_texts(node, scope)
        return UNTOLD in found or not found

    def is_put_together(self, node, scope):
        """Whether a name depends on nothing but the file itself and still cannot be read from it."""
        return self.is_open(node, scope) and is_closed(node, scope, self.spend)

    def all_texts(self, node, scope):
        found = self.told.get(id(node))
        if found is None:
            self.told[id(node)] = frozenset({UNTOLD})  # a text that makes itself longer has no end
            tell = SPELLERS.get(type(node), Texts.untold)
            found = frozenset(itertools.islice(tell(self, node, scope), MOST)) or frozenset({UNTOLD})
            self.told[id(node)] = found
        self.spend()
        return found

    def untold(self, node, scope):
        yield UNTOLD

    def constant(self, node, scope):
        yield node.value if isinstance(node.value, str) else UNTOLD

    def binary(self, node, scope):
        left, right = self.all_texts(node.left, scope), self.all_texts(node.right, scope)
        if isinstance(node.op, ast.Add):
            yield from joined([left, right])
        else:
            yield from called("__mod__", [left, right]) if isinstance(node.op, ast.Mod) else [UNTOLD]

    def formatted(self, node, scope):
        pieces = [part if isinstance(part, ast.Constant) else part.value for part in node.values]
        yield from joined([self.all_texts(piece, scope) for piece in pieces])

    def either(self, node, scope):
        branches = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        for branch in branches:
            yield from self.all_texts(branch, scope)

    def same(self, node, scope):
        yield from self.all_texts(node.value, scope)

    def name(self, node, scope):
        bindings = scope.find(node.id)
        if not bindings:
            return {UNTOLD}
        if id(bindings) not in self.told:
            self.told[id(bindings)] = frozenset({UNTOLD})
            self.told[id(bindings)] = frozenset(itertools.islice(self.bound(bindings), MOST)) or frozenset({UNTOLD})
        return self.told[id(bindings)]

    def bound(self, bindings):
        for kind, what, its in bindings:
            self.spend()
            if kind == "value":
                yield from self.all_texts(what, its)
            elif kind == "each":
                yield from self.any_part(what, its)
            elif kind != "holds":
                yield UNTOLD

    def any_part(self, node, scope):
        key = scope.find(node.id) if isinstance(node, ast.Name) else node
        if id(key) not in self.lists:
            self.lists[id(key)] = frozenset({UNTOLD})
            found = [self.all_texts(inner, its) for inner, its in self.parts(node, scope)]
            self.lists[id(key)] = frozenset(itertools.islice(frozenset().union(*found), MOST)) or frozenset({UNTOLD})
        return self.lists[id(key)]

    def subscript(self, node, scope):
        yield from self.any_part(node.value, scope)

    def attribute(self, node, scope):
        stored = self.walk.attributes.get(node.attr)
        if not stored:
            return {UNTOLD}
        if id(stored) not in self.told:
            self.told[id(stored)] = frozenset({UNTOLD})
            found = self.bound([binding for binding in stored if binding[0] == "value"])
            self.told[id(stored)] = frozenset(itertools.islice(found, MOST)) | {UNTOLD}
        return self.told[id(stored)]

    def method(self, node, scope):
        """The strings that the plain methods of a string can return."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name == "join" and len(node.args) == 1 and isinstance(node.args[0], (ast.List, ast.Tuple)):
            between = self.all_texts(node.func.value, scope)
            parts = [self.all_texts(piece, scope) for piece in node.args[0].elts]
            yield from joined([part for pair in parts for part in (between, pair)][1:])
        elif name in PLAIN_METHODS and not node.keywords:
            yield from called(name, [self.all_texts(one, scope) for one in (node.func.value, *node.args)])
        else:
            yield UNTOLD

    def parts(self, node, scope, depth=4):
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
            for kind, what, its in scope.find(node.id) or ():
                if kind == "value":
                    yield from self.parts(what, its, depth - 1)
                elif kind == "holds":
                    yield what, its


def joined(parts):
    for pieces in itertools.islice(itertools.product(*parts), MOST):
        plain = UNTOLD not in pieces and sum(map(len, pieces)) < LONGEST
        yield "".join(pieces) if plain else UNTOLD


def called(name, parts):
    for base, *given in itertools.islice(itertools.product(*parts), MOST):
        if UNTOLD in (base, *given) or sum(map(len, (base, *given))) >= LONGEST or re.search(r"%\D*\d", base):
            yield UNTOLD
            continue
        try:
            yield getattr(base, name)(*given)
        except (TypeError, ValueError):
            yield UNTOLD


SPELLERS = {
    ast.Constant: Texts.constant,
    ast.BinOp: Texts.binary,
    ast.JoinedStr: Texts.formatted,
    **dict.fromkeys((ast.IfExp, ast.BoolOp), Texts.either),
    **dict.fromkeys((ast.NamedExpr, ast.Starred), Texts.same),
    ast.Name: Texts.name,
    ast.Subscript: Texts.subscript,
    ast.Attribute: Texts.attribute,
    ast.Call: Texts.method,
}
