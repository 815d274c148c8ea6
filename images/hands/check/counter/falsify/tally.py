"""Keeps count of the assertions of one run."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FunctionType
    from typing import Literal

    from check.counter.assertions.sites import Place, Site
    from check.counter.falsify.first_answers import FirstAnswers
    from check.wire.shapes import Agreement

    Mark = Callable[[bytes], object]


MOST_RECORDED = 50_000
MOST_MARKS = 1_000


class Tally:
    """Notes which assertions each test reaches, and which of those that are made false hold all the same.
    `false_sites`: for each test the assertion that is made false; `mark`: sends a byte that no later code can take
    back."""

    def __init__(self, false_sites: Mapping[str, str], mark: Mark | None) -> None:
        self.false_sites = false_sites
        self.running = ""
        self.reached: dict[str, dict[str, bool]] = {}
        self.recorded = 0
        self.agreements: list[tuple[Site, FunctionType | None, str]] = []
        self.names: list[Agreement] = []
        # by site, until the test itself has compared
        self.first: dict[str, FirstAnswers | Literal["failed"]] = {}
        self.refusing: set[FunctionType | None] = set()
        self.mark: Mark = mark or unsent
        self.marks = MOST_MARKS

    def record(self, site: Place, test: str | None = None) -> None:
        seen = self.reached.setdefault(self.running if test is None else test, {})
        if site.id not in seen and self.recorded < MOST_RECORDED:
            self.recorded += 1
            seen[site.id] = True

    def agreed(self, site: Site, by: FunctionType | None, names: list[str]) -> None:
        """Notes an assertion that stayed true. It is judged at the end, because `by` may have refused something in
        another test."""
        self.agreements.append((site, by, self.running))
        if len(self.names) < MOST_MARKS:
            self.names.append({"site": site.id, "test": self.running, "by": names})
        if by is None:
            self.tell(b"+")

    def tell(self, mark: bytes) -> None:
        """Sends a mark at once, because code that is found out may suppress whatever this run would still report."""
        if self.marks > (mark == b"?"):
            self.marks -= 1
            self.mark(mark)

    def has_refused(self, by: FunctionType | None) -> None:
        self.refusing.add(by)

    def told(self, canary: str) -> dict[str, list[str]]:
        for site, by, test in self.agreements:
            if by is None or by not in self.refusing:
                self.record(site, test)
        return {test: list(sites) for test, sites in self.reached.items() if test.partition("[")[0] != canary}


def unsent(mark: bytes) -> None:
    """Stands for the sending of a mark in a run that nobody listens to."""
