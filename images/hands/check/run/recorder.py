"""A plugin of pytest that records what happens in a run, whatever other plugins make of it."""

from __future__ import annotations

import pluggy
import pytest

from check.project import options
from check.project.installed_plugins import is_served
from check.run.canary import settle
from check.run.collection import Collection
from check.run.outcomes import Outcomes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from check.counter.counter import Counter
    from check.wire.shapes import RunReport


    Wrapper = Generator[None, object, object]


class Recorder:
    def __init__(self, files: list[str], canary: str, asked: options.ProjectOptions, counter: Counter | None) -> None:
        self.files = files
        self.counter = counter
        self.opened: dict[str, bool] | None = None
        self.canary = canary
        self.asked = asked
        self.outcomes = Outcomes()
        self.collection = Collection()
        self.is_ready = False
        self.looped = False
        self.status: int | None = None

    def ready(self, config: pytest.Config) -> None:
        """Called before any line of the project runs, at the latest before its conftests do."""
        if self.counter and not self.is_ready:
            self.is_ready = True
            self.counter.compile_ahead(config)

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        for plugin, names in options.SETTINGS_LEFT_OUT.items():
            for name in names if not is_served(plugin) else ():
                parser.addini(name, "of a plugin that is left out")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(
        self, early_config: pytest.Config, parser: pytest.Parser, args: list[str]
    ) -> Wrapper:
        self.ready(early_config)
        try:
            result = yield
        except BaseException as error:
            self.collection.note(getattr(error, "path", "conftest.py"), getattr(error, "cause", error))
            raise
        unknown = parser.parse_known_and_unknown_args(args)[1]
        self.asked.unserved += [word.partition("=")[0] for word in unknown]
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        config.args[:] = self.files  # whatever `addopts` adds to them
        config.option.maxfail = 0  # the canary fails, and must not end the session
        if hasattr(config.option, "benchmark_disable"):
            config.option.benchmark_disable = True  # each is run once, and not measured

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.CollectReport) -> tuple[str, str, str] | None:
        return ("", "", "") if str(report.nodeid).partition("[")[0] == self.canary else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Wrapper:
        settle(items, self.canary)
        result = yield
        if self.counter and self.counter.asking:
            items[:] = self.counter.asking.arranged(items)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Wrapper:
        if self.counter is None:
            return (yield)
        self.counter.begin(str(item.nodeid))
        self.counter.ground.item = item
        result = yield
        self.counter.running = ""
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> Wrapper:
        name = str(item.nodeid)
        before = call.excinfo
        if call.when == "call":
            self.outcomes.called.add(name)
            if self.counter:
                self.counter.ground.after_call()
        report = yield
        for found in (before, call.excinfo):
            raised = self.outcomes.note_raised(name, call.when, found)
            if raised is not None:
                self.collection.note_missing(raised)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.outcomes.note(report)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo) -> None:
        if isinstance(excinfo.value, pluggy.PluginValidationError):
            self.collection.note("conftest.py", excinfo.value)

    def pytest_exception_interact(self, node: pytest.Node, call: pytest.CallInfo, report: pytest.CollectReport) -> None:
        if report.when == "collect" and call.excinfo is not None:
            self.collection.raised[str(report.nodeid)] = call.excinfo.value

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            name = str(report.nodeid)
            self.collection.note(name, self.collection.raised.get(name), report.longreprtext)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Wrapper:
        if self.counter:
            self.counter.ground.after_collection()
        result = yield
        self.looped = True  # a session that ends early raises before this
        return result

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.status = int(exitstatus)

    def report(self) -> RunReport:
        asking = self.counter.asking if self.counter else None
        return {
            "results": self.outcomes.results(),
            "collect_errors": self.collection.errors,
            "finished": self.looped and self.status in (0, 1),
            "missing": sorted(self.collection.missing),
            "dropped": self.asked.dropped,
            "unserved": self.asked.unserved,
            "installed_in": options.INSTALLED_IN,
            "reached": self.counter.told(self.canary) if self.counter else {},
            "ground": self.counter.ground.told() if self.counter else [],
            "opened": self.read_files(),
            "agreed": self.counter.names if self.counter else [],
            "found": asking.told() if asking else [],
            "given": asking.given if asking else {},
        }

    def read_files(self) -> list[str]:
        helpers = self.counter.helpers() if self.counter else []
        return [] if self.opened is None else sorted({*self.opened, *helpers})
