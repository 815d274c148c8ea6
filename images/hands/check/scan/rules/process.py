"""Rules about the process that runs the tests: how it ends, its descriptors, its memory and its signals."""

from check.scan.rules.rule import forges, smells

# Parts of ctypes that only lay out data, or call functions that only Windows has.
LAYOUTS = (
    r"^(ctypes)(\.(c_\w+|wintypes(\.\w+)?|((Big|Little)Endian)?(Structure|Union)|Array|POINTER|pointer|byref|sizeof"
    r"|alignment|create_(string|unicode)_buffer|HRESULT|WinError|FormatError|[gs]et_last_error|util(\.find_library)?"
    r"|(windll|oledll)(\.\w+)*|WinDLL|OleDLL|WINFUNCTYPE))?$"
)

PROCESS_RULES = (
    forges(
        "leaves_at_once",
        {"use": ("os._exit", "os.abort"), "unknown": ("_exit",)},
        "ends the process behind the back of whoever waits for its report; raise SystemExit instead",
        named_by=("<name>", "_exit", "os._exit"),
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
    smells(
        "timers",
        {"use": ("signal.setitimer", "signal.alarm")},
        "interrupts whatever runs after a time, the tests too",
        named_by=("<name>", "<leaf>", "SIGALRM"),
    ),
    smells(
        "crash_hooks",
        {"store": ("sys.excepthook", "threading.excepthook")},
        "changes how the process reports what went wrong",
        named_by=("<name>", "<leaf>"),
    ),
)
