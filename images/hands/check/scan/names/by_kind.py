"""Makes tables of what is done with each kind of node in a syntax tree."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
    from typing import Any, TypeVar

    from check.scan.names.scope import Scope

    Owner = TypeVar("Owner")
    Node = TypeVar("Node", bound=ast.AST)
    Result = TypeVar("Result")
    # the table is asked with the type of a node, so each of its functions gets the kind of node that it takes
    Act = Callable[[Owner, Any, Scope], Result]


def for_kinds(
    act: Callable[[Owner, Node, Scope], Result], *kinds: type[Node]
) -> dict[type[ast.AST], Act[Owner, Result]]:
    return dict.fromkeys(kinds, act)
