"""Exchanges the values that tests expect for random ones: code that returns such a value has read it in the tests."""

from __future__ import annotations

import ast
import random
import re

from check.counter.expected.expected_values import ExpectedValues
from check.counter.expected.literals import parsed
from check.counter.expected.replacements import drawn, literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from check.counter.expected.expected_values import Group

    # start, end, and what stands there instead
    Edit = tuple[int, int, str]

ENOUGH = 2_000
draw = random.SystemRandom()


class ExchangedSources:
    """The same files with other expected values, and with a random half of the plain assertions negated. `others`:
    sources that are no tests, but may hold fixtures for them."""

    def __init__(self, sources: Mapping[str, bytes], others: Iterable[bytes] = ()) -> None:
        self.values: set[tuple[type, object]] = set()
        self.turned: set[tuple[str, int]] = set()
        self.sources = {**sources}
        trees = {path: tree for path, source in sources.items() if (tree := parsed(source))}
        expects = ExpectedValues(trees, [tree for source in others if (tree := parsed(source))])
        known = {(type(each.value), each.value) for tree in trees.values() for each in constants(tree)}
        for path in trees:
            text = SourceText(sources[path].decode(errors="surrogateescape"))
            edits = [*self.exchanges(expects.groups[path], text, known), *self.opposites(path, expects, text)]
            self.sources[path] = text.edited(edits).encode(errors="surrogateescape")

    def exchanges(
        self, groups: list[Group], text: SourceText, known: Collection[tuple[type, object]]
    ) -> Iterator[Edit]:
        """Exchanges all parts of an expected value, or a single one: code may have read one part and put the rest
        together itself."""
        for group in groups[:ENOUGH]:
            for node in group if draw.random() < 0.5 else draw.sample(group, min(1, len(group))):
                start, end = text.span(node)
                other = drawn(node.value, text.text[start:end], known)
                if other is not None:
                    self.values.add((type(node.value), literal(other)))
                    yield start, end, other

    def opposites(self, path: str, expects: ExpectedValues, text: SourceText) -> Iterator[Edit]:
        """Negates a random half of the assertions that compare nothing and only say yes or no."""
        sites = [*expects.plain(path)]
        for site in draw.sample(sites, (len(sites) + 1) // 2):
            start, _ = text.span(site.node)
            negated = isinstance(site.node, ast.UnaryOp)
            if not negated or text.text[start : start + 4] == "not ":
                self.turned.add((path, site.node.lineno))
                yield (start, start + 4, "    ") if negated else (start, start, "not ")


def constants(tree: ast.AST) -> list[ast.Constant]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]


class SourceText:
    """A source text in which nodes of its syntax tree can be found and exchanged."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[tuple[int, str]] = []
        at = 0
        for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text):
            self.lines.append((at, line))
            at += len(line)

    def span(self, node: ast.expr) -> list[int]:
        """A tree counts columns in bytes."""
        end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        ends = ((node.lineno, node.col_offset), end)
        return [self.place(*self.lines[line - 1], column) for line, column in ends]

    def place(self, at: int, line: str, column: int) -> int:
        before = line.encode(errors="surrogateescape")[:column]
        return at + len(before.decode(errors="surrogateescape"))

    def edited(self, edits: Iterable[Edit]) -> str:
        text = self.text
        for start, end, other in sorted(set(edits), reverse=True):
            text = text[:start] + other + text[end:]
        return text
