"""Runs the project's own tests, collected as its configuration says or file by file, within a time of their own. Tells
which tests there was no time for, and how far the run is."""

import json
import os
import signal
import sys
from os import write
from time import monotonic

import pytest

from check.project import options, plugins
from check.project.installed_plugins import is_served
from check.run import explained, tests_first
from check.run import test_run as runs

TEXTS_SHOWN = 60
TEXT_SHOWN = 2_000
AGAIN_SECONDS = 5
OWN_MODE = "--import-mode"
FOLDERS = ("test", "tests", "testing")
LARGEST = 2 * 1024 * 1024


class OutOfTime(BaseException):
    """A BaseException, so that no test catches it as an error of its own."""


def run(payload, data, report):
    given = json.loads(data)
    files, canary = given["files"], payload["canary"]
    os.chdir(options.WORKSPACE)
    asked = options.ProjectOptions(files or [""], is_served)
    sys.path = options.TreeBehind(sys.path, asked.paths())
    tests_first.install()
    placed = runs.with_canary(files, canary)
    clock = Clock(payload["seconds"], canary["id"])
    beside = {"clock": clock, "left_out": given["left_out"], "sources": Sources(files)}
    recorder = SuiteRecorder(placed if files else [], canary, asked, beside)
    recorder.tell = lambda text: write(report, text.encode())
    explained.once_for_each_file()
    plugins.serve(recorder.ready, recorder.note_import)
    runs.blend_in(files)
    clock.start()
    said = {"not_run": clock.late, "broken_off": clock.broken_off, "in_code": recorder.in_code, "rewritten": recorder.rewritten}
    first = {"nonce": payload["nonce"], **said}
    runs.reported(recorder, arguments(asked, placed if files else []), (payload, report), [clock], first)


def arguments(asked, files):
    """Without files pytest looks where the project says. The project may choose the import mode as well."""
    own = asked.arguments()
    says_mode = any(OWN_MODE in word for word in own)
    kept = [word for word in runs.ARGUMENTS if not (says_mode and word.startswith(OWN_MODE))]
    return [*kept, *runs.left_out_plugins.refusals(), *own, *files]


class Clock:
    """Leaves out tests that there is no time for, and breaks off the one that runs when the time is over."""

    def __init__(self, seconds, canary):
        self.seconds, self.end = seconds, monotonic() + seconds
        self.canary = canary
        self.late, self.broken_off = [], []
        self.item = None
        self.collecting = True

    def start(self):
        signal.signal(signal.SIGALRM, self.over)
        signal.setitimer(signal.ITIMER_REAL, self.seconds, AGAIN_SECONDS)

    def over(self, *_):
        if self.collecting:
            raise OutOfTime
        if self.item is not None and not self.is_canary(self.item):
            self.broken_off += [self.item] if self.item not in self.broken_off else []
            raise OutOfTime

    def is_canary(self, name):
        return name.partition("[")[0] == self.canary

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        name = str(item.nodeid)
        if monotonic() < self.end or self.is_canary(name):
            return None
        self.late.append(name)
        return True


class Sources:
    """Reads the test files, and the modules beside them and in the folders above up to that of the tests, before
    anything of the project runs: code that is imported while tests are collected can write to them."""

    def __init__(self, files):
        self.before = {path: read(path) for path in {one for file in files for one in self.around(file)}}

    def around(self, file):
        yield file
        folder = os.path.dirname(file)
        while folder:
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                if name.endswith(".py"):
                    yield os.path.join(folder, name)
            folder = os.path.dirname(folder) if os.path.basename(folder) not in FOLDERS else ""

    def changed(self):
        return sorted(path for path, content in self.before.items() if read(path) != content)


def read(path):
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            return file.read(LARGEST)
    except OSError:
        return None


class SuiteRecorder(runs.Recorder):
    def __init__(self, files, canary, asked, parts):
        super().__init__(files, canary["id"], asked, None)
        self.canary_path = canary["path"]
        self.clock = parts["clock"]
        self.left_out = {os.path.join(options.WORKSPACE, path) for path in parts["left_out"]}
        self.sources = parts["sources"]
        self.in_code, self.rewritten = [], []
        self.tell = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        self.files = self.files or self.with_canary(config)
        super().pytest_configure(config)

    def with_canary(self, config):
        """Some versions of pytest forget a folder when a file inside it is named as well."""
        folders = [os.path.abspath(one.partition("::")[0]) for one in config.args]
        place = os.path.join(options.WORKSPACE, self.canary_path)
        if not any(place.startswith(f"{folder}/") for folder in folders):
            return [*config.args, self.canary_path]
        config.getini("python_files").append(os.path.basename(place))
        return [*config.args]

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(self, collection_path):
        return True if str(collection_path) in self.left_out else None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        self.clock.collecting = False
        self.rewritten += self.sources.changed()
        files = {}
        for item in session.items:
            path = str(item.nodeid).partition("::")[0]
            files[path] = files.get(path, True) and type(item).__module__ == "_pytest.doctest"
        self.in_code += sorted(path for path, alone in files.items() if alone)
        self.tell(f"{len(session.items)}\n")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.clock.item = str(item.nodeid)
        try:
            return (yield)
        finally:
            self.clock.item = None
            self.tell(".")

    def report(self):
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
