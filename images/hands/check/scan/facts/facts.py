"""Lists what a file does as facts that rules can be about: names it uses, calls or stores, and its reads of the
environment."""

from __future__ import annotations

import ast
from typing import NamedTuple

from check.scan.names.dotted import as_called
from check.scan.names.names import Names
from check.scan.names.walk import Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    from check.scan.names.scope import Scope
    from check.scan.names.walk import Seen
    from check.scan.rules.rule import FactKind

    # "own" for a receiver of the project, "mock" for a patch that a test undoes
    How = Literal["", "own", "mock"]

QUIET_LOOKUPS = {"get", "pop", "setdefault", "__contains__", "__getitem__"}
OWN_MODULE = {"__name__", "__module__", "__package__"}


class Fact(NamedTuple):
    on: FactKind
    name: str
    node: Seen
    scope: Scope
    how: How = ""


class Facts:
    """`wanted`: the rules about a name of that kind."""

    def __init__(self, tree: ast.Module, wanted: Callable[[FactKind, str], Sequence[object]]) -> None:
        self.walk = Walk(tree)
        self.names = Names(self.walk)
        self.wanted = wanted
        self.found: list[Fact] = []

    def tell(self, on: FactKind, name: str, node: Seen, scope: Scope, how: How = "") -> None:
        if self.wanted(on, name):
            self.found.append(Fact(on, name, node, scope, how))

    def uses(self, node: ast.expr, scope: Scope) -> None:
        for one in map(as_called, self.names.of(node, scope)):
            self.tell("use", one, node, scope)
            if one == "sys.modules" and self.is_bare(node):
                self.tell("bare", one, node, scope)

    def is_bare(self, node: ast.expr) -> bool:
        parent = self.walk.parents.get(id(node))
        looks = isinstance(parent, ast.Attribute) and parent.attr in QUIET_LOOKUPS
        return not looks and not isinstance(parent, (ast.Subscript, ast.Compare))

    def unreadable(self, base: str, key: ast.expr, node: ast.expr, scope: Scope, computed: bool = True) -> None:
        """Tells of a name that is hidden, or that only a run could tell."""
        if self.names.spelling.is_put_together(key, scope):
            self.tell("hidden", base, node, scope)
        elif computed and self.names.spelling.is_open(key, scope) and not is_of_the_file(key):
            self.tell("computed", base, node, scope)


def is_of_the_file(key: ast.expr) -> bool:
    """Whether a key is made from `__name__` or the like, by which code looks for its own module."""
    return any(spelled_name(inner) in OWN_MODULE for inner in ast.walk(key))


def spelled_name(node: ast.AST) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))
