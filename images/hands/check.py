"""The zygote of a check container: imports pytest, and what tests commonly import, before any tree arrives; then forks
a child for each request. Nothing that a tree holds can stand in for a module that is loaded already."""

import _thread
import ctypes
import fcntl
import gc
import importlib
import inspect
import json
import os
import random
import signal
import socket
import struct
import sys
import time
import traceback

PR_SET_DUMPABLE = 4
NUMBERS_SKIPPED = 64
SCATTERED = ("/workspace", "/tmp", "/dev/shm")
LENGTH = struct.Struct("!I")
PARTS = [
    *["check_trees", "check_tables", "check_text", "check_imports", "check_expected", "check_loaded"],
    *["check_judge", "check_scan", "check_scan_answers", "check_scan_closed", "check_scan_facts", "check_scan_file"],
    *["check_scan_places", "check_scan_library", "check_scan_loading", "check_scan_match", "check_scan_names", "check_scan_rules", "check_scan_scope"],
    *["check_scan_scopes", "check_scan_source", "check_scan_spelled", "check_scan_texts"],
    *["check_options", "check_sites", "check_bindings", "check_order", "check_falsify", "check_guarded", "check_origin"],
    *["check_expects", "check_drawn", "check_spelt", "check_asking", "check_classes", "check_changed"],
    *["check_told", "check_asked", "check_again"],
    *["check_ground_files", "check_ground_imports", "check_ground", "check_nested", "check_probes", "check_counter"],
    *["check_opened", "check_explained", "check_found", "check_plugins", "check_left_out", "check_refused"],
    *["check_tests_first", "check_canary", "check_ready", "check_pytest", "check_suite", "check_suite_plan"],
    *["check_helpers", "check_declared", "check_skips", "check_surely", "check_staged"],
    *["check_ruff", "check_same"],
]
WARM = """
    abc argparse array ast asyncio atexit base64 bisect builtins calendar codecs collections collections.abc
    concurrent.futures concurrent.futures.thread configparser contextlib copy csv dataclasses datetime decimal difflib
    doctest email.message enum errno fcntl fnmatch fractions functools gc getpass gettext glob gzip hashlib heapq hmac
    html http http.client http.server importlib importlib.metadata importlib.resources importlib.util inspect io
    ipaddress itertools json keyword linecache locale logging logging.handlers math mimetypes multiprocessing numbers
    operator os os.path pathlib pdb pickle pkgutil platform pprint queue random re reprlib runpy sched secrets select
    selectors shelve shlex shutil signal socket sqlite3 stat statistics string struct subprocess sys sysconfig tarfile
    tempfile textwrap threading time timeit tokenize tomllib traceback types typing unicodedata unittest
    unittest.async_case unittest.mock urllib.error urllib.parse urllib.request uuid warnings weakref xml.dom.minidom
    xml.etree.ElementTree zipfile zlib zoneinfo
    _pytest.assertion.rewrite _pytest.assertion.util _pytest._code.source _pytest._io.terminalwriter
    _pytest._argcomplete _pytest._py.path faulthandler iniconfig packaging.requirements packaging.version
    pygments pygments.formatters.terminal pygments.lexers.python readline
"""


def load_parts():
    """Imports our own modules and takes their names out of sys.modules, so that no tree can import or replace one."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    try:
        return {name: importlib.import_module(name) for name in PARTS}
    finally:
        sys.path.remove(here)
        for name in PARTS:
            sys.modules.pop(name, None)


def warm(parts):
    """Takes the tree's folders off the path: they are not there yet, and an environment lists them for its own
    programs."""
    from _pytest.config import default_plugins

    sys.path[:] = parts["check_options"].without_tree(sys.path)

    for name in [*WARM.split(), *(f"_pytest.{plugin}" for plugin in default_plugins)]:
        try:
            importlib.import_module(name)
        except ImportError:
            pass  # another Python or pytest than the image's own may lack it
    if parts["check_plugins"].import_ahead():
        parts["check_ground"].take()  # the plugins may replace what they like; the ground is as they left it
    parts["check_ready"].make()
    inspect.getmodule(warm.__code__)  # fills a cache over all modules, which the first traceback would wait for


def to_reporting(answer):
    """Handles a request that runs nothing of the project: its answer is the report."""

    def act(payload, data, report):
        said = json.dumps(answer(payload, json.loads(data)))
        with os.fdopen(report, "wb") as file:
            file.write(said.encode())
        os._exit(0)

    return act


def scatter():
    """Skips a random number of process ids and inodes, so that a test cannot tell from its own how many runs came
    before."""
    draw = random.SystemRandom().randrange
    done = _thread.allocate_lock()
    done.acquire()
    for _ in range(draw(NUMBERS_SKIPPED)):
        _thread.start_new_thread(done.release, ())
        done.acquire()
    for folder in SCATTERED:
        try:
            for _ in range(draw(NUMBERS_SKIPPED)):
                os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
        except OSError:
            pass  # another kind of disk than the one that numbers its files one by one


def actions(parts):
    return {
        "judge": to_reporting(parts["check_judge"].answer),
        "lines": to_reporting(parts["check_trees"].lines),
        "unchanged": to_reporting(parts["check_trees"].unchanged),
        "staged": to_reporting(parts["check_staged"].answer),
        "ruff_rules": to_reporting(parts["check_ruff"].rules),
        "older": to_reporting(parts["check_ruff"].older),
        "differing": to_reporting(parts["check_same"].differing),
        "pytest": parts["check_pytest"].run,
        "suite": parts["check_suite"].run,
        "touched": to_reporting(parts["check_suite_plan"].touched),
        "bodies": to_reporting(parts["check_suite_plan"].bodies),
    }


def receive(control):
    """A request, its input and its two descriptors; None when the resident is gone."""
    first, fds, _, _ = socket.recv_fds(control, 65536, 2)
    if len(fds) != 2:
        return None
    for fd in fds:
        os.set_inheritable(fd, False)
    buffer = bytearray(first)
    read_to(control, buffer, LENGTH.size)
    end = LENGTH.size + LENGTH.unpack_from(buffer)[0]
    read_to(control, buffer, end)
    header = json.loads(buffer[LENGTH.size : end])
    read_to(control, buffer, end + header["input_len"])
    return header["payload"], bytes(buffer[end:]), fds


def read_to(control, buffer, size):
    while len(buffer) < size:
        chunk = control.recv(min(65536, size - len(buffer)))
        if not chunk:
            raise EOFError
        buffer += chunk


def send(control, message):
    said = json.dumps(message).encode()
    control.sendall(LENGTH.pack(len(said)) + said)


def become_child(control, report, output):
    """Keeps descriptors 0 to 2 and the report's, the last at a number nobody can guess."""
    control.close()
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    null = os.open("/dev/null", os.O_RDONLY)
    high = fcntl.fcntl(report, fcntl.F_DUPFD_CLOEXEC, random.SystemRandom().randrange(100, 900))
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(3, high)
    return high


def fork(act, control, request):
    payload, data, (report, output) = request
    pid = os.fork()
    if pid:
        os.close(report)
        os.close(output)
        return pid
    try:
        act(payload, data, become_child(control, report, output))
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(70)


def ending(pid, started):
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    took = round((time.monotonic() - started) * 1000)
    return {"exit": code if code >= 0 else None, "signal": None if code >= 0 else -code, "ms": took}


def serve(control, handlers):
    while (request := receive(control)) is not None:
        started = time.monotonic()
        send(control, ending(fork(handlers[request[0]["do"]], control, request), started))


def main():
    # a program that a test starts has our uid: it must not reach our memory or descriptors
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    sys.dont_write_bytecode = True
    control = socket.socket(fileno=int(os.environ.pop("TILTH_ZYGOTE_FD")))
    control.set_inheritable(False)
    parts = load_parts()
    handlers = actions(parts)
    warm(parts)
    scatter()
    gc.collect()
    gc.freeze()  # so that the collector does not write to pages that the children share
    send(control, {"ready": True})
    try:
        serve(control, handlers)
    except (EOFError, ConnectionError):
        pass


if __name__ == "__main__":
    main()
