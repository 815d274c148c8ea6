"""Runs that only ask: no assertion fails that held before. They look for a value that gives itself away: it knows what
was exchanged, says yes where nothing honest does, or comes in the order in which it is asked for."""

from __future__ import annotations

from check.counter.expected.expected_values import ExpectedValues
from check.counter.expected.literals import parsed
from check.counter.runs.value_texts import mark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest import Item

    from check.counter.assertions.nested import Nested
    from check.counter.assertions.sites import CallSite, Condition, Place
    from check.counter.expected.expected_values import ExpectedSide
    from check.counter.falsify.tally import Tally
    from check.wire.shapes import Betrayal, BetrayalKind

MOST = 200
MOST_GIVEN = 5_000


class AskingRun:
    """A probe calls the method of its kind: it hands on what `condition` and `method` give. The others give
    nothing."""

    def __init__(self, counter: Tally, sources: Mapping[str, bytes]) -> None:
        self.counter = counter
        self.found: dict[tuple[str, str], tuple[BetrayalKind, list[str]]] = {}
        self.given: dict[str, list[str]] = {}
        self.count = 0
        trees = {path: tree for path, source in sources.items() if (tree := parsed(source))}
        expects = ExpectedValues(trees)
        self.places = {(path, at): sides for path in trees for at, sides in expects.places(path)}

    def sides(self, site: Place, node: ast.expr) -> list[ExpectedSide] | None:
        return self.places.get((site.file.path, (node.lineno, node.col_offset)))

    def note(self, site: Place, why: BetrayalKind, test: str | None = None, by: Iterable[str] = ()) -> None:
        if len(self.found) < MOST:
            self.found[site.id, self.counter.running if test is None else test] = why, [*by]

    def told(self) -> list[Betrayal]:
        found = self.found.items()
        return [{"site": site, "test": test, "why": why, "by": by} for (site, test), (why, by) in found]

    def keep(self, site: Place, values: Sequence[object]) -> None:
        """Records values that are compared with an expected one, to be held against another run."""
        self.count += 1
        if self.count <= MOST_GIVEN:
            key = f"{site.file.path}:{site.node.lineno}\t{self.counter.running.partition('[')[0]}"
            self.given.setdefault(key, []).append(self.marks(values))

    def marks(self, values: Sequence[object]) -> str:
        return " ".join(mark_of(value) for value in values)

    def condition(self, site: Condition, result: object, operands: Sequence[object]) -> object:
        return result

    def method(self, site: CallSite, given: Callable[..., object]) -> Callable[..., object]:
        return given

    def compared(self, site: Nested, operation: type[ast.cmpop], left: object, right: object) -> None:
        pass

    def answered(self, site: Nested, result: object) -> None:
        """Gets the result of the comparison that `compared` met last at this place."""

    def instance(self, site: Nested, values: Sequence[object], kinds: object) -> None:
        pass

    def arranged(self, items: list[Item]) -> list[Item]:
        return items

    def begins(self, test: str) -> None:
        pass

    def is_false(self) -> bool:
        """Whether the assertion chosen to be false is made false at this point of the run."""
        return True
