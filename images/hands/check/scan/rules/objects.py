"""Rules about objects that nobody gave the code: those of its callers and of everything that is loaded."""

from check.scan.rules.rule import forges, smells

REACHED_BY_ALL = ("os", "sys", "builtins", "gc", "ctypes")

OBJECT_RULES = (
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
)
