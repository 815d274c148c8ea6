"""Rules about code that is loaded, made or spelled so that nobody can review it."""

from check.scan.rules.rule import forges, smells

ARCHIVE = r"\.(zip|egg|whl|pyz|tar|gz)\b"
ELSEWHERE = r"tempfile|mkdtemp|gettempdir|TemporaryDirectory|['\"]/(tmp|dev/shm|var/tmp|proc)\b"
NO_SOURCE = r"\.(?!py\b)\w+['\"]"

UNREADABLE = forges("unreadable_source", {}, "", named_by=())

CODE_RULES = (
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
            *["<name>", "<top>", "picklable", "unpicklable", "pickling", "pickled", "unpickle", "unpickled"],
            *["unpickling"],
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
    smells(
        "blanket_noqa",
        {"comment": ("noqa",)},
        "silences every finding of the linter instead of one",
        named_by=("noqa",),
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
        "reads_source",
        {"use": ("linecache.*", "inspect.getsource", "inspect.getsourcelines", "inspect.findsource")},
        "reads source while it runs, and could read that of the tests",
        where=("code",),
        named_by=("<name>", "<top>", "<leaf>"),
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
        "compiles",
        {"use": ("builtins.compile", "py_compile.compile", "compileall.*")},
        "makes code from data",
        named_by=("<name>", "<leaf>()"),
    ),
)
