"""Names and what they are bound to, for one scope of a file. A binding is a kind, what is bound, and the scope to read
it in: "name" (of what is imported), "value", "each" (any element of it), "holds" (put into it), "class", "function"."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator
    from typing import Literal

    Imported = tuple[Literal["name"], str, None]
    Expression = tuple[Literal["value", "each", "holds"], ast.expr, "Scope"]
    Definition = tuple[Literal["class", "function"], "Scope", None]
    Opaque = tuple[Literal["opaque"], None, None]
    Binding = Imported | Expression | Definition | Opaque
    ScopeKind = Literal["module", "main", "class", "function", "comprehension"]

OPAQUE: Opaque = ("opaque", None, None)


class Scope:
    def __init__(self, kind: ScopeKind, parent: Scope | None, name: str = "") -> None:
        self.kind = kind
        self.parent = parent
        self.name = name
        self.names: dict[str, list[Binding]] = {}
        self.parameters: list[str] = []
        self.rest: list[str] = []
        self.returns: list[ast.expr] = []
        self.stars: list[str] = parent.stars if parent else []
        self.at_import: bool = parent is None or (parent.at_import and kind != "function")
        self.by_hand: bool = bool(parent and parent.by_hand)

    def bind(self, name: str, binding: Binding) -> None:
        self.names.setdefault(name, []).append(binding)

    def find(self, name: str) -> list[Binding] | None:
        """Bindings of a name as code in this scope sees them; None when nothing in the file binds it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names and (scope is self or scope.kind != "class"):
                return scope.names[name]
            scope = scope.parent
        return None

    def path(self) -> str:
        return f"{self.parent.path()}.{self.name}" if self.parent else "<own>"

    def module(self) -> Scope:
        return self.parent.module() if self.parent else self

    def owner(self) -> Scope:
        """The scope that a `yield` belongs to, which in a comprehension is the one around it."""
        return self.parent.owner() if self.kind == "comprehension" and self.parent else self

    def functions(self) -> Iterator[str]:
        """Names of the functions around, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            if scope.kind == "function":
                yield scope.name
            scope = scope.parent

    def for_main(self) -> Scope:
        """A scope with the same names, for code that runs only when the file is started as a program."""
        scope = Scope("main", self.parent, self.name)
        scope.names, scope.stars, scope.at_import, scope.by_hand = self.names, self.stars, False, True
        return scope
