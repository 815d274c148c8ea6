"""Loads staged tests and their helpers so that each assertion reports that it was reached, and one of them can be made
false."""

import _thread
import ast
import itertools
import os
import sys
import warnings
from importlib.machinery import SourceFileLoader

from _pytest.assertion import rewrite

from check.counter import again, asked, changed, drawn, told
from check.counter import probes as probes_in
from check.counter import sites as sites_in
from check.ground import ground, imports
from check.project import options

MOST_RECORDED = 50_000
MOST_MARKS = 1_000
MOST_HELPERS = 100
MOST_FOLDERS = 50
PYTEST = os.path.dirname(os.path.dirname(os.path.abspath(rewrite.__file__))) + os.sep
ASKING = {
    **{"told": told.Told, "asked": asked.Asked},
    **{"reordered": again.Reordered, "again": again.Again},
}
parse = ast.parse
load_as_before, rewrite_as_before = SourceFileLoader.get_code, rewrite._rewrite_test
if not (hasattr(rewrite, "_read_pyc") and hasattr(rewrite, "_write_pyc")):
    raise ImportError("this pytest keeps what it rewrote in another way")


class Counter:
    """Notes which assertions each test reaches, and makes at most one of each test false. `canary`: the path of the one
    source that is no test of the project; `mode`: how values are asked, "" if they are not."""

    def __init__(self, sources, false_sites, *, canary, mode="", read=(), roots=(), mark=None):
        self.sources = {os.path.join(options.WORKSPACE, path): text.encode() for path, text in sources.items()}
        self.staged = list(self.sources)
        self.sources.update(helpers_beside(self.sources))
        self.asking = self.asking_by(mode, canary)
        self.ground = ground.Ground(self.sources, self.files_at_first(read), roots)
        self.false_sites = false_sites
        self.running = ""
        self.reached = {}
        self.recorded = 0
        self.agreements, self.names = [], []
        self.refusing = set()
        self.catching = {}
        self.codes = {}
        self.loaded = []
        self.main = (_thread.get_ident(), os.getpid())
        self.mark, self.marks = mark or (lambda _: None), MOST_MARKS

    def asking_by(self, mode, canary):
        if not mode:
            return None
        sources = {os.path.relpath(path, options.WORKSPACE): source for path, source in self.sources.items()}
        sources.pop(canary)
        if mode != "changed":
            return ASKING[mode](self, sources)
        beside = content(os.path.join(options.WORKSPACE, "conftest.py"))
        exchanged = drawn.Exchanged(sources, [beside] if beside else [])
        for path, source in exchanged.sources.items():
            if source != sources[path]:
                self.sources[os.path.join(options.WORKSPACE, path)] = source
                put(os.path.join(options.WORKSPACE, path), source)
        return changed.Changed(self, exchanged)

    def files_at_first(self, read):
        return [*(os.path.relpath(path, options.WORKSPACE) for path in self.sources), *read]

    def install(self):
        rewrite._rewrite_test = self.rewritten
        rewrite._read_pyc = lambda *_, **__: None  # a compiled file must not stand in for its source
        rewrite._write_pyc = lambda *_, **__: False
        SourceFileLoader.get_code = loading(self)

    def compile_ahead(self, config):
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

    def rewritten(self, file, config):
        __tracebackhide__ = True
        filename = str(file)
        self.ground.imports.note(filename, None)
        code = self.codes.get(filename) or self.code_of(filename, lambda _: file.read_bytes(), config)
        return (b"", code) if code else rewrite_as_before(file, config)

    def code_of(self, filename, read, config):
        """None if the file is not ours to compile, or cannot be compiled: the caller then meets the error in its own
        way."""
        if filename not in self.sources and not filename.startswith(options.TESTS):
            return None
        try:
            source = self.sources.get(filename)
            return self.compiled(filename, read(filename) if source is None else source, config)
        except Exception:
            return None

    def compiled(self, filename, source, config):
        tree = parse(source, filename=filename)
        file = sites_in.File(os.path.relpath(filename, options.WORKSPACE), tree)
        self.catching[filename] = file.catching_lines
        self.loaded.append(file.path)
        names = [*imports.names_in(tree)]
        code = probes_in.compiled(file, filename, self, None if config is None else (filename, config, source))
        self.ground.imports.read(filename, names, code)
        return code

    def begin(self, test):
        self.running = test
        if self.asking:
            self.asking.begins(test)

    def is_false(self, site):
        false = self.false_sites.get(self.running) == site.id
        return false and (self.asking is None or self.asking.is_false())

    def reach(self, site):
        """Records that an assertion was reached, and says whether to make it false now."""
        if not self.is_false(site):
            self.record(site)
        return self.is_turned(site)

    def is_turned(self, site):
        """Whether it is made false here and now."""
        return self.is_false(site) and self.is_here() and (own(site) or self.stands_alone())

    def is_here(self):
        return (_thread.get_ident(), os.getpid()) == self.main

    def agreed(self, site, by, names):
        """Notes an assertion that stayed true. It is judged at the end, because `by` may have refused something in
        another test."""
        self.agreements.append((site, by, self.running))
        if len(self.names) < MOST_MARKS:
            self.names.append({"site": site.id, "test": self.running, "by": names})
        if by is None:
            self.tell(b"+")

    def tell(self, mark):
        """Sends a mark at once, because code that is found out may suppress whatever this run would still report."""
        if self.marks > (mark == b"?"):
            self.marks -= 1
            self.mark(mark)

    def has_refused(self, by):
        self.refusing.add(by)

    def record(self, site, test=None):
        seen = self.reached.setdefault(self.running if test is None else test, {})
        if site.id not in seen and self.recorded < MOST_RECORDED:
            self.recorded += 1
            seen[site.id] = True

    def told(self, canary):
        for site, by, test in self.agreements:
            if by is None or by not in self.refusing:
                self.record(site, test)
        return {test: list(sites) for test, sites in self.reached.items() if test.partition("[")[0] != canary}

    def helpers(self):
        """Helpers that were loaded. Their text was read beforehand, so the watch over opened files did not see them."""
        return [path for path in self.loaded if os.path.join(options.WORKSPACE, path) not in self.staged]

    def stands_alone(self):
        """Whether nothing but tests lies between a helper's assertion and pytest: neither the project, which may have
        reasons to catch what its callbacks raise, nor a place where a test does so itself."""
        frame = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.startswith(PYTEST):
            filename = frame.f_code.co_filename
            if options.is_in_tree(filename) and not filename.startswith(options.TESTS):
                return False
            if any(first <= frame.f_lineno <= last for first, last in self.catching.get(filename, ())):
                return False
            frame = frame.f_back
        return True


def helpers_beside(staged):
    """Reads whatever the tests may load before the first line of the project can change it."""
    found = {}
    for folder, inner, names in itertools.islice(os.walk(options.TESTS), MOST_FOLDERS):
        inner[:] = [name for name in inner if name.isidentifier() and name != "__pycache__"]
        for name in names:
            path = os.path.join(folder, name)
            is_helper = name.endswith(".py") and not name.startswith("test_") and path not in staged
            if is_helper and len(found) < MOST_HELPERS:
                found[path] = content(path)
    return {path: source for path, source in found.items() if source is not None}


def content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def put(path, source):
    """Writes a file and keeps the times that it had."""
    try:
        before = os.stat(path)
        with open(path, "wb") as file:
            file.write(source)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    except OSError:
        pass  # a folder that the tree itself has made read-only


def own(site):
    return site.test is not None and site.where.scope is site.where.function


def loading(counter):
    def get_code(self, fullname):
        if self.path.startswith(options.TESTS):
            counter.ground.imports.note(self.path, fullname)
        return counter.code_of(self.path, self.get_data, None) or load_as_before(self, fullname)

    # importlib takes the lines of its own file out of a traceback
    get_code.__code__ = get_code.__code__.replace(co_filename=load_as_before.__code__.co_filename)
    return get_code
