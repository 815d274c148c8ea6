"""Loads staged tests and their helpers so that each assertion reports that it was reached, and one of them can be made
false."""

from __future__ import annotations

import ast
import itertools
import os
import warnings
from importlib.machinery import SourceFileLoader

from _pytest.assertion import rewrite

from check.counter.assertions.sites import File
from check.counter.expected.exchange import ExchangedSources
from check.counter.probes import probed_code
from check.counter.probes.probed_run import ProbedRun
from check.counter.runs.exchanged_run import ExchangedRun
from check.counter.runs.questioning_run import QuestioningRun
from check.counter.runs.recording_run import RecordingRun
from check.counter.runs.reordered_runs import ReorderedRun, RepeatingRun
from check.ground import imports
from check.ground.ground import Ground
from check.project import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path
    from types import CodeType

    from pytest import Config

    from check.counter.falsify.tally import Mark
    from check.counter.runs.asking_run import AskingRun

MOST_HELPERS = 100
MOST_FOLDERS = 50
ASKING: dict[str, type[AskingRun]] = {
    **{"told": RecordingRun, "asked": QuestioningRun},
    **{"reordered": ReorderedRun, "again": RepeatingRun},
}
parse = ast.parse
load_as_before = SourceFileLoader.get_code
rewrite_as_before = rewrite._rewrite_test  # pyright: ignore[reportPrivateUsage]
if not (hasattr(rewrite, "_read_pyc") and hasattr(rewrite, "_write_pyc")):
    raise ImportError("this pytest keeps what it rewrote in another way")


class Counter(ProbedRun):
    """Notes which assertions each test reaches, and makes at most one of each test false. `canary`: the path of the one
    source that is no test of the project; `mode`: how values are asked, "" if they are not."""

    def __init__(
        self,
        sources: Mapping[str, str],
        false_sites: Mapping[str, str],
        *,
        canary: str,
        mode: str = "",
        read: Iterable[str] = (),
        roots: Iterable[str] = (),
        mark: Mark | None = None,
    ) -> None:
        self.sources = {os.path.join(options.WORKSPACE, path): text.encode() for path, text in sources.items()}
        self.staged = list(self.sources)
        self.sources.update(helpers_beside(self.sources))
        exchanged = self.exchanged(canary) if mode == "changed" else None
        at_first = [os.path.relpath(path, options.WORKSPACE) for path in self.sources]
        super().__init__(Ground(self.sources, [*at_first, *read], roots), false_sites, mark)
        if exchanged is not None:
            self.asking = ExchangedRun(self, exchanged)
        elif mode:
            self.asking = ASKING[mode](self, self.judging(canary))
        self.codes: dict[str, CodeType] = {}
        self.loaded: list[str] = []

    def judging(self, canary: str) -> dict[str, bytes]:
        sources = {os.path.relpath(path, options.WORKSPACE): source for path, source in self.sources.items()}
        sources.pop(canary)
        return sources

    def exchanged(self, canary: str) -> ExchangedSources:
        """Exchanges expected values in the sources and in the files."""
        sources = self.judging(canary)
        beside = content(os.path.join(options.WORKSPACE, "conftest.py"))
        exchanged = ExchangedSources(sources, [beside] if beside else [])
        for path, source in exchanged.sources.items():
            if source != sources[path]:
                self.sources[os.path.join(options.WORKSPACE, path)] = source
                put(os.path.join(options.WORKSPACE, path), source)
        return exchanged

    def install(self) -> None:
        rewrite._rewrite_test = self.rewritten  # pyright: ignore[reportPrivateUsage]
        # a compiled file must not stand in for its source
        rewrite._read_pyc = no_bytecode  # pyright: ignore[reportPrivateUsage]
        rewrite._write_pyc = no_bytecode_written  # pyright: ignore[reportPrivateUsage]
        SourceFileLoader.get_code = loading(self)  # pyright: ignore[reportAttributeAccessIssue]

    def compile_ahead(self, config: Config) -> None:
        """Compiles the staged files before any line of the project runs. A file that warns or fails is compiled again
        where pytest expects it."""
        for filename in self.staged:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    code = self.compiled(filename, self.sources[filename], config)
                except Exception:
                    continue
            if not caught:
                self.codes[filename] = code

    def rewritten(self, file: Path, config: Config) -> tuple[object, CodeType]:
        __tracebackhide__ = True
        filename = str(file)
        self.ground.imports.note(filename, None)
        code = self.codes.get(filename) or self.code_of(filename, lambda _: file.read_bytes(), config)
        return (b"", code) if code else rewrite_as_before(file, config)

    def code_of(self, filename: str, read: Callable[[str], bytes], config: Config | None) -> CodeType | None:
        """None if the file is not ours to compile, or cannot be compiled: the caller then meets the error in its own
        way."""
        if filename not in self.sources and not filename.startswith(options.TESTS):
            return None
        try:
            source = self.sources.get(filename)
            return self.compiled(filename, read(filename) if source is None else source, config)
        except Exception:
            return None

    def compiled(self, filename: str, source: bytes, config: Config | None) -> CodeType:
        tree = parse(source, filename=filename)
        file = File(os.path.relpath(filename, options.WORKSPACE), tree)
        self.catching[filename] = file.catching_lines
        self.loaded.append(file.path)
        names = [*imports.names_in(tree)]
        code = probed_code.compiled(file, filename, self, None if config is None else (filename, config, source))
        self.ground.imports.read(filename, names, code)
        return code

    def helpers(self) -> list[str]:
        """Helpers that were loaded. Their text was read beforehand, so the watch over opened files did not see them."""
        return [path for path in self.loaded if os.path.join(options.WORKSPACE, path) not in self.staged]


def no_bytecode(*_: object, **__: object) -> None:
    """Stands for pytest's reading of a compiled file: there is none."""


def no_bytecode_written(*_: object, **__: object) -> bool:
    return False


def helpers_beside(staged: Collection[str]) -> dict[str, bytes]:
    """Reads whatever the tests may load before the first line of the project can change it."""
    found: dict[str, bytes | None] = {}
    for folder, inner, names in itertools.islice(os.walk(options.TESTS), MOST_FOLDERS):
        inner[:] = [name for name in inner if name.isidentifier() and name != "__pycache__"]
        for name in names:
            path = os.path.join(folder, name)
            is_helper = name.endswith(".py") and not name.startswith("test_") and path not in staged
            if is_helper and len(found) < MOST_HELPERS:
                found[path] = content(path)
    return {path: source for path, source in found.items() if source is not None}


def content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def put(path: str, source: bytes) -> None:
    """Writes a file and keeps the times that it had."""
    try:
        before = os.stat(path)
        with open(path, "wb") as file:
            file.write(source)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    except OSError:
        pass  # a folder that the tree itself has made read-only


def loading(counter: Counter) -> Callable[[SourceFileLoader, str], CodeType | None]:
    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        if self.path.startswith(options.TESTS):
            counter.ground.imports.note(self.path, fullname)
        return counter.code_of(self.path, self.get_data, None) or load_as_before(self, fullname)

    # importlib takes the lines of its own file out of a traceback
    get_code.__code__ = get_code.__code__.replace(co_filename=load_as_before.__code__.co_filename)
    return get_code
