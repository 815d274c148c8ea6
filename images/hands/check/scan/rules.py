"""The rules of the scanner, as data. `match` says which facts a rule is about, by kind of fact: names as they resolve,
`x.*` for all below x. `where`: only in code that tests judge ("code"), only where importing runs it ("import"), not
where a program starts ("no_entry"), not on the project's own classes ("foreign"). `given`: a pattern that the arguments
must match. `alike`: names that give a file no more than another of them did; the group stands for all. `named_by`:
words by which a task's own text makes the construct its business; `<name>` is the dotted name that was met, `<leaf>`
its last part, `<top>` its first; `<any>` is any of the rule's names, because they are used together."""

from typing import NamedTuple

SAME_MODULE = {
    **{"posix": "os", "nt": "os", "_operator": "operator", "_pickle": "pickle", "cPickle": "pickle", "_io": "io"},
    **{"_ctypes": "ctypes", "_signal": "signal", "_json": "json", "_datetime": "datetime", "_random": "random"},
    **{"_imp": "imp", "_frozen_importlib": "importlib", "_frozen_importlib_external": "importlib.machinery"},
    "__builtin__": "builtins",
}
ARCHIVE = r"\.(zip|egg|whl|pyz|tar|gz)\b"
ELSEWHERE = r"tempfile|mkdtemp|gettempdir|TemporaryDirectory|['\"]/(tmp|dev/shm|var/tmp|proc)\b"
NO_SOURCE = r"\.(?!py\b)\w+['\"]"
TESTS = r"(^|[\s\"'/(])tests?[/\"']|test_\w+\.py|\w+_test\.py|conftest"

# Parts of ctypes that only lay out data, or call functions that only Windows has.
LAYOUTS = (
    r"^(ctypes)(\.(c_\w+|wintypes(\.\w+)?|((Big|Little)Endian)?(Structure|Union)|Array|POINTER|pointer|byref|sizeof"
    r"|alignment|create_(string|unicode)_buffer|HRESULT|WinError|FormatError|[gs]et_last_error|util(\.find_library)?"
    r"|(windll|oledll)(\.\w+)*|WinDLL|OleDLL|WINFUNCTYPE))?$"
)
REACHED_BY_ALL = ("os", "sys", "builtins", "gc", "ctypes")

# Documented places for a program's own value: nothing is measured or compared by them.
MEANT_TO_BE_SET = {
    *["sys.stdout", "sys.stderr", "sys.stdin", "sys.argv", "sys.path", "sys.ps1", "sys.ps2", "sys.tracebacklimit"],
    *["sys.dont_write_bytecode", "sys.displayhook", "sys.excepthook", "threading.excepthook"],
    *["logging.raiseExceptions", "logging.lastResort", "logging.Formatter.converter", "logging.logThreads"],
    *["logging.logProcesses", "logging.logMultiprocessing", "logging.Formatter.default_msec_format"],
    *["logging.Formatter.default_time_format", "warnings.showwarning", "warnings.formatwarning", "tempfile.tempdir"],
    *["logging.root.*", "sys.stdout.*", "sys.stderr.*", "sys.stdin.*"],
    *["ssl._create_default_https_context", "socketserver.TCPServer.allow_reuse_address", "readline.parse_and_bind"],
    *["socketserver.ThreadingMixIn.daemon_threads", "http.server.HTTPServer.allow_reuse_address"],
    *["csv.QUOTE_MINIMAL", "xml.etree.ElementTree._namespace_map", "decimal.DefaultContext.prec", "cmd.Cmd.prompt"],
}


class Rule(NamedTuple):
    name: str
    kind: str
    match: dict
    why: str
    named_by: tuple = ("<name>",)
    where: tuple = ()
    given: str = ""
    alike: str = ""


def forges(name, match, why, **more):
    return Rule(name, "forges", match, why, **more)


def smells(name, match, why, **more):
    return Rule(name, "smells", match, why, **more)


UNREADABLE = forges("unreadable_source", {}, "", named_by=())

RULES = (
    forges(
        "leaves_at_once",
        {"use": ("os._exit", "os.abort"), "unknown": ("_exit",)},
        "ends the process behind the back of whoever waits for its report; raise SystemExit instead",
        named_by=("<name>", "_exit", "os._exit"),
    ),
    forges(
        "test_framework",
        {"use": ("pytest", "pytest.*", "_pytest", "_pytest.*", "sys.modules:pytest", "sys.modules:_pytest")},
        "code under test has no business with the test framework that judges it",
        where=("code",),
        named_by=(
            *["<name>", "_pytest", "import pytest", "pytest_plugins", "pytest plugin", "pytest plugins"],
            *["pytest fixture", "pytest fixtures", "pytest hook", "pytest hooks", "plugin for pytest"],
        ),
        alike=r"^(_?pytest)(\.|$)",
    ),
    forges(
        "all_objects",
        {"use": ("gc.get_objects", "gc.get_referrers", "gc.get_referents")},
        "reaches objects that nobody gave it, those of the test framework among them",
        named_by=("<name>", "<leaf>", "<any>"),
    ),
    forges(
        "subclasses",
        {"attribute": ("__subclasses__",)},
        "reaches classes that nobody gave it, those of the test framework among them; ask a base class of the project",
        where=("foreign",),
        named_by=("__subclasses__", "__subclasses__()"),
    ),
    forges(
        "frames",
        {
            "attribute": ("f_globals", "f_locals", "f_builtins", "f_trace"),
            "store_attribute": ("f_trace", "f_lineno"),
            "use": ("inspect.getargvalues", "inspect.getclosurevars"),
        },
        "reaches the variables of whoever calls it, the tests among them",
        named_by=("<name>", "<leaf>", "stack frame", "stack frames", "caller's frame", "calling frame"),
    ),
    forges(
        "tracing",
        {
            "use": (
                *["sys.settrace", "sys.setprofile", "sys.monitoring", "sys.addaudithook", "sys.call_tracing"],
                *["threading.settrace", "threading.setprofile", "threading.settrace_all_threads"],
                *["threading.setprofile_all_threads", "bdb.*", "trace.Trace"],
            )
        },
        "runs code of its own between the lines of the tests",
        named_by=("<name>", "<leaf>", "<any>", "<top>.<leaf>", "tracing function", "trace function"),
    ),
    forges(
        "import_hooks",
        {
            "use": (
                *["sys.meta_path", "sys.path_hooks", "sys.path_importer_cache", "importlib.abc.MetaPathFinder"],
                *["importlib.abc.PathEntryFinder", "importlib.machinery.SOURCE_SUFFIXES"],
                *["importlib.machinery.BYTECODE_SUFFIXES", "importlib.machinery.PathFinder", "site.addsitedir"],
                *["importlib.machinery.FileFinder", "importlib.util.LazyLoader", "site.addpackage"],
                *["importlib.abc.Loader", "importlib.abc.SourceLoader", "importlib.abc.InspectLoader"],
                *["importlib.abc.ExecutionLoader", "importlib.abc.FileLoader"],
            )
        },
        "changes what an import finds, for the tests too",
        named_by=(
            *["<name>", "<leaf>", "<any>", "import hook", "import hooks", "meta path", "meta_path", "path_hooks"],
            *["MetaPathFinder", "PathEntryFinder", "import finder", "import loader", "module finder"],
        ),
    ),
    forges(
        "function_insides",
        {
            "attribute": ("__globals__",),
            "store_attribute": ("__code__", "cell_contents"),
            "slot": ("__code__", "__defaults__", "__kwdefaults__", "__closure__"),
            "use": tuple(f"types.FunctionType.__{name}__" for name in ("code", "defaults", "kwdefaults")),
        },
        "reaches or replaces the insides of functions, those of the tests among them",
        named_by=("<name>", "<leaf>"),
    ),
    forges(
        "patches_library",
        {"store": ("<library>",)},
        "changes the library for everyone, and the tests compare and measure with it",
        named_by=("<name>",),
    ),
    forges(
        "runs_text",
        {
            "use": (
                *["builtins.exec", "builtins.eval", "code.InteractiveInterpreter", "code.InteractiveConsole"],
                *["code.interact"],
            ),
            "call": ("types.CodeType", "types.FunctionType", "types.LambdaType"),
        },
        "runs code made from data, which nobody can review",
        named_by=("<name>", "<leaf>"),
    ),
    forges(
        "runs_statement_text",
        {"call": ("timeit.timeit", "timeit.repeat", "timeit.Timer", "cProfile.run", "cProfile.runctx", "profile.run")},
        "runs code made from data, which nobody can review; give it a function",
        given=r"^\s*[rbfu]*['\"]|setup\s*=\s*['\"]",
        named_by=("<name>", "<top>"),
    ),
    forges(
        "unpickles",
        {
            "use": (
                *["pickle.load", "pickle.loads", "pickle.Unpickler", "pickle._Unpickler", "pickle._load"],
                *["pickle._loads", "marshal.load", "marshal.loads", "shelve.open", "shelve.Shelf", "dill.load"],
                *["shelve.DbfilenameShelf", "dill.loads", "cloudpickle.load", "cloudpickle.loads", "joblib.load"],
                *["jsonpickle.decode", "pandas.read_pickle", "multiprocessing.reduction.ForkingPickler"],
            )
        },
        "makes objects and runs code from data, which nobody can review; use json",
        named_by=(
            *["<name>", "<top>", "picklable", "unpicklable", "pickling", "pickled", "unpickle", "unpickled", "unpickling"],
        ),
    ),
    forges(
        "path_of_archives",
        {
            "call": ("sys.path.insert", "sys.path.append", "sys.path.extend", "sys.path.__setitem__"),
            "store": ("sys.path",),
        },
        "lets imports come from an archive or a folder outside the tree, which nobody can review",
        given=f"{ARCHIVE}|{ELSEWHERE}",
        named_by=("sys.path",),
    ),
    forges(
        "loads_no_source",
        {
            "use": (
                *["runpy.*", "zipimport.*", "imp.*", "importlib.machinery.SourcelessFileLoader"],
                *["importlib.machinery.ExtensionFileLoader", "importlib.util.source_from_cache"],
            )
        },
        "runs files as code by a road that nobody reviews",
        named_by=("<name>", "<top>", "<leaf>"),
    ),
    forges(
        "loads_other_files",
        {
            "call": (
                *["importlib.util.spec_from_file_location", "importlib.machinery.SourceFileLoader"],
                *["importlib.util.spec_from_loader"],
            )
        },
        "runs a file that is no .py as code",
        given=NO_SOURCE,
        named_by=("<name>", "<leaf>"),
    ),
    forges(
        "at_exit",
        {"use": ("atexit", "atexit.*", "threading._register_atexit")},
        "runs after the tests, when their result is being reported",
        named_by=("atexit", "at exit", "on exit"),
    ),
    forges(
        "raw_memory",
        {"use": ("ctypes", "ctypes.*", "cffi", "cffi.*", "_testcapi", "_testcapi.*", "_testinternalcapi")},
        "reads and writes memory past all of Python's own rules",
        named_by=("<top>",),
        alike=LAYOUTS,
    ),
    forges(
        "strange_descriptors",
        {
            "call": (
                *["os.write", "os.fdopen", "os.writev", "os.pwrite", "os.sendfile", "builtins.open", "io.open"],
                *["io.FileIO", "os.read", "os.ftruncate", "os.splice", "os.copy_file_range"],
            )
        },
        "reaches a descriptor that it did not open",
        given=r"^([3-9]|[1-9]\d+)\s*(,|\n|$)|^(\w+)\b(?s:.*)\n\3 (in range\(|= ([3-9]|[1-9]\d+)(\n|$))|fileno\(\)\s*\+",
        named_by=("<name>", "file descriptor", "file descriptors"),
    ),
    forges(
        "process_files",
        {"text": ("*",), "call": ("builtins.open", "os.open", "os.listdir", "os.readlink", "os.path.join")},
        "reaches the descriptors and the memory of its own process",
        given=r"/proc/.*\b(fd|fdinfo|mem|maps|map_files|task|root)\b|^/proc/(self|thread-self)/?$|^/dev/fd\b",
        named_by=("/proc", "/proc/self", "/proc/self/fd", "/dev/fd", "procfs"),
    ),
    forges(
        "signals_the_check",
        {"call": ("os.kill", "os.killpg", "signal.pidfd_send_signal", "faulthandler.dump_traceback_later")},
        "ends or stops the process that runs the tests, or the one that waits for it",
        given=r"getppid|getpgrp\(|getpgid\((0|os\.getp?pid\(\))\)|^-?[01]\s*,|exit\s*=\s*True",
        named_by=("<name>", "os.getppid"),
    ),
    forges(
        "forks_at_import",
        {"call": ("os.fork", "os.forkpty", "pty.fork")},
        "splits the process of the tests while it is being imported",
        where=("import",),
    ),
    forges(
        "process_hooks",
        {"store": ("sys.exitfunc", "sys.unraisablehook", "sys.breakpointhook")},
        "changes how the process of the tests reports what went wrong",
        named_by=("<name>", "<leaf>"),
    ),
    forges(
        "walks_modules",
        {
            "call": (
                *["sys.modules.values", "sys.modules.items", "sys.modules.copy", "sys.modules.keys"],
                *[f"{name}.__dict__.{way}" for name in REACHED_BY_ALL for way in ("values", "items", "copy")],
            ),
            "bare": ("sys.modules",),
        },
        "goes through everything that is loaded, the tests and their framework among it",
        where=("code",),
        named_by=("sys.modules",),
    ),
    forges(
        "walks_system",
        {"call": ("inspect.getmembers", "inspect.getmembers_static")},
        "goes through everything that the system has, what ends the process among it",
        where=("code",),
        given=rf"^({'|'.join(REACHED_BY_ALL)})\b",
    ),
    forges(
        "hidden_name",
        {
            "hidden": (
                *["import", "sys.modules", "os", "sys", "builtins", "gc", "ctypes", "types", "importlib", "threading"],
                *["pickle", "marshal", "inspect", "code", "runpy", "atexit", "unittest", "time", "os.*", "sys.*"],
                *["builtins.*", "gc.*", "unittest.*", "pytest", "pytest.*", "_pytest", "_pytest.*"],
            )
        },
        "puts a name together from pieces so that it cannot be read; write it out",
        named_by=(),
    ),
    forges(
        "names_its_judge",
        {"text": ("*",)},
        "names an acceptance test in the code that it judges",
        where=("code",),
        given=r"\btest_t\d{3,}_[a-z0-9_]",
        named_by=(),
    ),
    smells(
        "sees_the_test",
        {"text": ("*",)},
        "asks whether it is being tested",
        where=("code",),
        given=r"^PYTEST(_(CURRENT_TEST|VERSION|XDIST\w*)?)?$",
        named_by=("PYTEST_CURRENT_TEST", "PYTEST_VERSION"),
    ),
    smells(
        "sees_the_environment",
        {"environ": ("CI", "TILTH", "TILTH_*", "GITHUB_ACTIONS", "TESTING", "PYTEST_*", "GITLAB_CI", "BUILD_ID")},
        "asks where it is being run",
        where=("code",),
        named_by=("<name>",),
    ),
    smells(
        "sees_the_arguments",
        {"use": ("sys.argv", "sys.orig_argv")},
        "looks at the command line outside a program's entry",
        where=("code", "no_entry"),
        named_by=("<name>",),
    ),
    smells(
        "blanket_noqa",
        {"comment": ("noqa",)},
        "silences every finding of the linter instead of one",
        named_by=("noqa",),
    ),
    smells(
        "lifted_answer",
        {"answer": ("*",)},
        "gives back or compares with what stands in the acceptance test and not in the task",
        where=("code",),
        named_by=(),
    ),
    smells(
        "reads_the_tests",
        {
            "call": (
                *["builtins.open", "io.open", "os.open", "os.path.join", "os.listdir", "os.scandir", "os.walk"],
                *["pathlib.Path", "pathlib.PurePath", "glob.glob", "glob.iglob", "linecache.getlines"],
                *["shutil.copy", "importlib.resources.files", "importlib.util.spec_from_file_location"],
            )
        },
        "reads files of the tests from the code they judge",
        where=("code",),
        given=TESTS,
        named_by=(),
    ),
    smells(
        "imports_the_tests",
        {
            "import": ("tests", "tests.*", "conftest", "conftest.*", "test_*"),
            "use": ("tests", "tests.*", "conftest", "conftest.*", "test_*"),
        },
        "imports the tests from the code they judge",
        where=("code",),
        named_by=(),
    ),
    smells(
        "writes_source",
        {"call": ("builtins.open", "io.open", "os.open")},
        "writes what could be imported, which nobody reviews",
        where=("code",),
        given=r"\.py[cw]?['\"}].*['\"][wax]",
        named_by=(".py",),
    ),
    smells(
        "mocks",
        {"use": ("unittest.mock", "unittest.mock.*")},
        "uses stand-ins of the test library in the code that tests judge",
        where=("code",),
        named_by=("unittest.mock",),
    ),
    smells(
        "agreeable",
        {"agreeable": ("*",)},
        "agrees with whatever it is compared with",
        named_by=(),
    ),
    smells(
        "looks_at_callers",
        {
            "attribute": ("tb_frame", "f_back", "gi_frame", "cr_frame", "ag_frame", "findCaller"),
            "use": (
                *["sys._getframe", "sys._getframemodulename", "inspect.currentframe", "inspect.stack", "inspect.trace"],
                *["inspect.getouterframes", "inspect.getinnerframes", "sys._current_frames", "traceback.walk_stack"],
                *["traceback.extract_stack", "traceback.format_stack", "traceback.StackSummary.*"],
                *["tracemalloc.get_object_traceback", "tracemalloc.take_snapshot", "faulthandler.dump_traceback"],
            ),
        },
        "looks at who calls it",
        named_by=("<name>", "<leaf>"),
    ),
    smells(
        "reads_source",
        {"use": ("linecache.*", "inspect.getsource", "inspect.getsourcelines", "inspect.findsource")},
        "reads source while it runs, and could read that of the tests",
        where=("code",),
        named_by=("<name>", "<top>", "<leaf>"),
    ),
    smells(
        "sees_the_harness",
        {"text": ("*",)},
        "asks what it is run by",
        where=("code",),
        given=r"^/opt/tilth\b|^/proc/[^/]+/(cmdline|comm)$",
        named_by=("/proc", "procfs", "cmdline"),
    ),
    smells(
        "looks_into_closures",
        {"attribute": ("__closure__", "cell_contents")},
        "looks into functions that it was given",
        named_by=("<name>",),
    ),
    smells(
        "insides_in_text",
        {"text": ("*",)},
        "names the insides of functions in a text, as a format can reach them",
        given=r"\.__(globals|code|closure|builtins|subclasses)__",
        named_by=(),
    ),
    smells(
        "timers",
        {"use": ("signal.setitimer", "signal.alarm")},
        "interrupts whatever runs after a time, the tests too",
        named_by=("<name>", "<leaf>", "SIGALRM"),
    ),
    smells(
        "computed_name",
        {
            "computed": (
                *["os", "sys", "builtins", "gc", "types", "importlib", "import", "sys.modules", "ctypes", "signal"],
                *["threading", "pickle", "marshal", "unittest", "inspect"],
            )
        },
        "takes from the system what only running would tell",
        where=("code",),
        named_by=("sys.modules", "import_module"),
    ),
    smells(
        "adds_to_library",
        {"store": ("<added>",)},
        "adds to the library for everyone, the tests too",
        named_by=("<name>",),
    ),
    smells(
        "compiles",
        {"use": ("builtins.compile", "py_compile.compile", "compileall.*")},
        "makes code from data",
        named_by=("<name>", "<leaf>()"),
    ),
    smells(
        "crash_hooks",
        {"store": ("sys.excepthook", "threading.excepthook")},
        "changes how the process reports what went wrong",
        named_by=("<name>", "<leaf>"),
    ),
)
