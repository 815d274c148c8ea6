"""Records a run of the project's own tests, and tells meanwhile how far it is."""

from __future__ import annotations

import os
import signal

import pytest

from check.project import options
from check.run.recorder import Recorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from check.run.recorder import Wrapper
    from check.suite.clock import Clock
    from check.suite.sources import Sources
    from check.wire.shapes import Canary, RunReport

TEXTS_SHOWN = 60
TEXT_SHOWN = 2_000


class SuiteRecorder(Recorder):
    """`tell`: takes a mark of progress. `left_out`: paths that are not collected."""

    def __init__(
        self,
        files: list[str],
        canary: Canary,
        asked: options.ProjectOptions,
        *,
        clock: Clock,
        sources: Sources,
        left_out: Iterable[str],
        tell: Callable[[str], object],
    ) -> None:
        super().__init__(files, canary["id"], asked, None)
        self.canary_path = canary["path"]
        self.clock = clock
        self.left_out = {os.path.join(options.WORKSPACE, path) for path in left_out}
        self.sources = sources
        # files of which nothing but examples in the code was collected, and those that collecting changed
        self.in_code: list[str] = []
        self.rewritten: list[str] = []
        self.tell = tell

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        self.files = self.files or self.with_canary(config)
        super().pytest_configure(config)

    def with_canary(self, config: pytest.Config) -> list[str]:
        """Some versions of pytest forget a folder when a file inside it is named as well."""
        folders = [os.path.abspath(one.partition("::")[0]) for one in config.args]
        place = os.path.join(options.WORKSPACE, self.canary_path)
        if not any(place.startswith(f"{folder}/") for folder in folders):
            return [*config.args, self.canary_path]
        config.getini("python_files").append(os.path.basename(place))
        return [*config.args]

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(self, collection_path: os.PathLike[str]) -> bool | None:
        return True if str(collection_path) in self.left_out else None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.clock.collecting = False
        self.rewritten += self.sources.changed()
        files: dict[str, bool] = {}
        for item in session.items:
            path = str(item.nodeid).partition("::")[0]
            files[path] = files.get(path, True) and type(item).__module__ == "_pytest.doctest"
        self.in_code += sorted(path for path, alone in files.items() if alone)
        self.tell(f"{len(session.items)}\n")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Wrapper:
        self.clock.item = str(item.nodeid)
        try:
            return (yield)
        finally:
            self.clock.item = None
            self.tell(".")

    def report(self) -> RunReport:
        signal.setitimer(signal.ITIMER_REAL, 0)
        said = super().report()
        shown = 0
        for one in said["results"]:
            shown += one["text"] != ""
            one["text"] = one["text"][-TEXT_SHOWN:] if shown <= TEXTS_SHOWN else ""
        said["collect_errors"] = [
            {**error, "text": error["text"][-TEXT_SHOWN:]} for error in said["collect_errors"][:TEXTS_SHOWN]
        ]
        return said
