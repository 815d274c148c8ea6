"""One run of pytest over given files, reported through a descriptor of its own. Everything a proof hangs on is bound
before the first line of the project runs, so that what the project does to modules afterwards does not reach it."""

import json
import os
import random
import sys
import traceback
import types
import unittest
from json.encoder import c_make_encoder, encode_basestring_ascii
from os import _exit, getpid, write

import pluggy
import pytest

from check.counter.counter import Counter
from check.project import left_out_plugins, opened_files, options, plugins
from check.project.installed_plugins import is_served
from check.project.ready_config import hand_over
from check.run import explained, tests_first
from check.run.canary import settle
from check.run.refused import refusal

TEXT_SHOWN = 6000
RESULTS_SHOWN = 200_000
ARGUMENTS = [
    *["-q", "--no-header", "--color=no", "--tb=short"],
    *["--import-mode=prepend", f"--rootdir={options.WORKSPACE}", "--continue-on-collection-errors"],
    *["-o", "cache_dir=/tmp/.pytest_cache", "-o", "console_output_style=classic"],
]
ENVIRONMENT = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")
BY_PYTEST = (pytest.UsageError, pytest.Collector.CollectError)
NO_FAILURES = (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)
encode = c_make_encoder(None, str, encode_basestring_ascii, None, ":", ",", False, False, True)


def run(payload, data, report):
    os.chdir(options.WORKSPACE)
    asked = options.ProjectOptions(payload["files"], is_served)
    sys.path = options.TreeBehind(sys.path, asked.paths())
    tests_first.install()
    files = with_canary(payload["files"], payload["canary"])
    counter = counter_for(payload, data, asked, lambda mark: write(report, mark))
    recorder = Recorder(files, payload["canary"]["id"], asked, counter)
    if payload.get("watch"):
        recorder.opened = opened_files.watch(files)
    explained.once_for_each_file()
    plugins.serve(recorder.ready, recorder.note_import)
    blend_in(payload["files"])
    reported(recorder, [*ARGUMENTS, *left_out_plugins.refusals(), *asked.arguments(), *files], (payload, report))


def reported(recorder, arguments, of, beside=(), first=None):
    """Runs pytest and does not come back. `first`: sent in a line of its own before the report."""
    payload, report = of
    pid = getpid()
    code = ended(arguments, recorder, beside)
    if getpid() != pid:
        _exit(70)  # a test forked and came back here
    if recorder.counter:
        recorder.counter.ground.at_end()
    if first is not None:
        write_all(report, f"\n{''.join(encode(first, 0))}\n".encode())
    write_all(report, "".join(encode({**recorder.report(), "nonce": payload["nonce"], "exit": code}, 0)).encode())
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        _exit(code)


def ended(arguments, recorder, beside):
    """pytest's exit status, even if pytest itself fails with a traceback."""
    hand_over()
    try:
        return int(pytest.main(arguments, plugins=[recorder, *beside, *left_out_plugins.stand_ins()]))
    except Exception:
        traceback.print_exc()
        return int(pytest.ExitCode.INTERNAL_ERROR)


def counter_for(payload, data, asked, mark):
    """None if no staged sources are given."""
    sources = json.loads(data)["sources"] if data else {}
    if not sources:
        return None
    canary = payload["canary"]
    staged = {**sources, canary["path"]: canary["source"]}
    falsify, ground, mode = payload.pop("falsify", {}), payload.pop("ground", ()), payload.pop("mode", "")
    more = {"read": ground, "roots": asked.paths(), "mark": mark, "mode": mode, "canary": canary["path"]}
    counter = Counter(staged, falsify, **more)
    counter.install()
    return counter


def with_canary(files, canary):
    """Puts the canary among the files at random, so that its place does not give it away."""
    with open(os.path.join(options.WORKSPACE, canary["path"]), "x", encoding="utf-8") as file:
        file.write(canary["source"])
    place = random.SystemRandom().randrange(len(files) + 1)
    return [*files[:place], canary["path"], *files[place:]]


def blend_in(files):
    """Makes the process look to a test as it would under a bare pytest."""
    sys.argv = [os.path.join(os.path.dirname(sys.executable), "pytest"), *files]
    sys.modules["__main__"] = types.ModuleType("__main__")
    for name in ENVIRONMENT:
        os.environ.pop(name, None)


def write_all(fd, data):
    while data:
        data = data[write(fd, data) :]


class Recorder:
    """A plugin that records what happened, whatever other plugins make of it."""

    def __init__(self, files, canary, asked, counter):
        self.files = files
        self.counter = counter
        self.opened = None
        self.canary = canary
        self.asked = asked
        self.phases = {}
        self.raised = set()
        self.called = set()
        self.texts = {}
        self.collect_errors = []
        self.import_errors = {}
        self.missing = set()
        self.is_ready = False
        self.looped = False
        self.status = None

    def ready(self, config):
        """Called before any line of the project runs, at the latest before its conftests do."""
        if self.counter and not self.is_ready:
            self.is_ready = True
            self.counter.compile_ahead(config)

    def pytest_addoption(self, parser):
        for plugin, names in options.SETTINGS_LEFT_OUT.items():
            for name in names if not is_served(plugin) else ():
                parser.addini(name, "of a plugin that is left out")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self, early_config, parser, args):
        self.ready(early_config)
        try:
            result = yield
        except BaseException as error:
            self.note_import(getattr(error, "path", "conftest.py"), getattr(error, "cause", error))
            raise
        unknown = parser.parse_known_and_unknown_args(args)[1]
        self.asked.unserved += [word.partition("=")[0] for word in unknown]
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        config.args[:] = self.files  # whatever `addopts` adds to them
        config.option.maxfail = 0  # the canary fails, and must not end the session
        if hasattr(config.option, "benchmark_disable"):
            config.option.benchmark_disable = True  # each is run once, and not measured

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report):
        return ("", "", "") if str(report.nodeid).partition("[")[0] == self.canary else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        settle(items, self.canary)
        result = yield
        if self.counter and self.counter.asking:
            items[:] = self.counter.asking.arranged(items)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        if self.counter is None:
            return (yield)
        self.counter.begin(str(item.nodeid))
        self.counter.ground.item = item
        result = yield
        self.counter.running = ""
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        name = str(item.nodeid)
        before = call.excinfo
        if call.when == "call":
            self.called.add(name)
            if self.counter:
                self.counter.ground.after_call()
        report = yield
        for found in (before, call.excinfo):
            if found is not None and not isinstance(found.value, NO_FAILURES):
                self.raised.add((name, call.when))
                self.note_missing(found.value)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        name, when = str(report.nodeid), report.when
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "xfailed" if report.skipped else "xpassed"
        elif report.passed and (name, when) in self.raised:
            outcome = "failed"
            self.texts.setdefault(name, "The test raised; something turned its failure into a pass.")
        self.phases.setdefault(name, []).append((when, outcome))
        if outcome != "passed" and name not in self.texts:
            self.texts[name] = (report.longreprtext or str(getattr(report, "wasxfail", "")))[-TEXT_SHOWN:]

    def pytest_internalerror(self, excinfo):
        if isinstance(excinfo.value, pluggy.PluginValidationError):
            self.note_import("conftest.py", excinfo.value)

    def pytest_exception_interact(self, node, call, report):
        if report.when == "collect":
            self.import_errors[str(report.nodeid)] = call.excinfo.value

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report):
        if report.failed:
            name = str(report.nodeid)
            self.note_import(name, self.import_errors.get(name), report.longreprtext)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self):
        if self.counter:
            self.counter.ground.after_collection()
        result = yield
        self.looped = True  # a session that ends early raises before this
        return result

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus):
        self.status = int(exitstatus)

    def note_import(self, path, error, text=""):
        reason = "usage_error" if of_pytest(error) else "error"
        for cause in chain(error):
            if isinstance(cause, SyntaxError):
                reason = "syntax_error"
            elif isinstance(cause, ImportError):
                reason = "import_error"
                if self.note_missing(cause):
                    reason = "missing_module"
                elif hidden_by_image(cause):
                    reason = "hidden_module"
        relative = os.path.relpath(path, options.WORKSPACE) if os.path.isabs(path) else str(path)
        said = text or f"{type(error).__name__}: {error}"
        refused = refusal(chain(error)) if os.path.basename(path) == "conftest.py" else ""
        if refused:
            reason, said = "refused_by_pytest", f"{refused}\n\n{said}"[:TEXT_SHOWN]
        self.collect_errors.append({"path": relative, "reason": reason, "text": said[-TEXT_SHOWN:]})

    def note_missing(self, error):
        """Whether nothing in image or tree could provide a module that was wanted."""
        if not isinstance(error, ModuleNotFoundError) or not isinstance(error.name, str):
            return False
        name = error.name.partition(".")[0]
        if not name or in_tree(name) or name in sys.modules:
            return False
        self.missing.add(name)
        return True

    def report(self):
        names = [name for name in self.phases][:RESULTS_SHOWN]
        return {
            "results": [
                {"id": name, "outcome": self.outcome(name), "text": self.texts.get(name, "")} for name in names
            ],
            "collect_errors": self.collect_errors,
            "finished": self.looped and self.status in (0, 1),
            "missing": sorted(self.missing),
            "dropped": self.asked.dropped,
            "unserved": self.asked.unserved,
            "installed_in": options.INSTALLED_IN,
            "reached": self.counter.told(self.canary) if self.counter else {},
            "ground": self.counter.ground.told() if self.counter else [],
            "opened": self.read_files(),
            "agreed": self.counter.names if self.counter else [],
            "found": self.counter.asking.told() if self.counter and self.counter.asking else [],
            "given": self.counter.asking.given if self.counter and self.counter.asking else {},
        }

    def read_files(self):
        helpers = self.counter.helpers() if self.counter else []
        return [] if self.opened is None else sorted({*self.opened, *helpers})

    def outcome(self, name):
        """A test passed only if it was set up, called and torn down, and each of these passed."""
        phases = self.phases[name]
        outcomes = {outcome for _, outcome in phases}
        if ("call", "failed") in phases:
            return "failed"
        if "failed" in outcomes:
            return "error"
        for outcome in ("xfailed", "xpassed", "skipped"):
            if outcome in outcomes:
                return outcome
        whole = name in self.called and {when for when, _ in phases} == {"setup", "call", "teardown"}
        return "passed" if whole else "error"


def of_pytest(error):
    """Whether pytest itself objects to how a file is written: no change of the project makes that go away."""
    return isinstance(error, BY_PYTEST) or (isinstance(error, pytest.fail.Exception) and not error.pytrace)


def chain(error):
    found = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def in_tree(name):
    places = [path for path in sys.path if options.is_in_tree(path)]
    return any(os.path.exists(os.path.join(path, name + end)) for path in places for end in ("", ".py"))


def hidden_by_image(error):
    name = (getattr(error, "name", None) or "").partition(".")[0]
    loaded = getattr(sys.modules.get(name), "__file__", None) or options.WORKSPACE
    return bool(name) and in_tree(name) and not loaded.startswith(options.WORKSPACE)
