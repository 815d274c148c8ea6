"""Decides for the probes of one run which assertion is made false here and now."""

from __future__ import annotations

import _thread
import os
import sys

from _pytest.assertion import rewrite

from check.counter.falsify.tally import Tally
from check.project import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from check.counter.assertions.sites import Site
    from check.counter.falsify.tally import Mark
    from check.counter.runs.asking_run import AskingRun
    from check.ground.ground import Ground

PYTEST = os.path.dirname(os.path.dirname(os.path.abspath(rewrite.__file__))) + os.sep


class ProbedRun(Tally):
    """One run, as the probes in its tests see it. `asking`: how values are asked; None if they are not. `catching`: for
    each file the lines on which a failure may be caught."""

    def __init__(self, ground: Ground, false_sites: Mapping[str, str], mark: Mark | None) -> None:
        super().__init__(false_sites, mark)
        self.ground = ground
        self.asking: AskingRun | None = None
        self.catching: dict[str, list[tuple[int, int]]] = {}
        self.main = (_thread.get_ident(), os.getpid())

    def begin(self, test: str) -> None:
        self.running = test
        if self.asking:
            self.asking.begins(test)

    def is_false(self, site: Site) -> bool:
        false = self.false_sites.get(self.running) == site.id
        return false and (self.asking is None or self.asking.is_false())

    def reach(self, site: Site) -> bool:
        """Records that an assertion was reached, and says whether to make it false now."""
        if not self.is_false(site):
            self.record(site)
        return self.is_turned(site)

    def is_turned(self, site: Site) -> bool:
        """Whether it is made false here and now."""
        return self.is_false(site) and self.is_here() and (own(site) or self.stands_alone())

    def is_here(self) -> bool:
        return (_thread.get_ident(), os.getpid()) == self.main

    def stands_alone(self) -> bool:
        """Whether nothing but tests lies between a helper's assertion and pytest: neither the project, which may have
        reasons to catch what its callbacks raise, nor a place where a test does so itself."""
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        while frame is not None and not frame.f_code.co_filename.startswith(PYTEST):
            filename = frame.f_code.co_filename
            if options.is_in_tree(filename) and not filename.startswith(options.TESTS):
                return False
            if any(first <= frame.f_lineno <= last for first, last in self.catching.get(filename, ())):
                return False
            frame = frame.f_back
        return True


def own(site: Site) -> bool:
    return site.test is not None and site.where.scope is site.where.function
