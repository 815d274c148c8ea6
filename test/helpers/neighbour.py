"""Tries everything by name that a process can try on another one of its own user, and prints a line of JSON: way -> whether
it did anything. `neighbour.py PID` tries each on that process; if PID is `victim`, each on a new process of its own.
"""

import ctypes
import json
import os
import resource
import signal
import struct
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
NUMBERS = {
    "ioprio_set": (251, 30),
    "ioprio_get": (252, 31),
    "kcmp": (312, 272),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "rt_sigqueueinfo": (129, 138),
    "sched_setattr": (314, 274),
    "tgkill": (234, 131),
    "tkill": (200, 130),
}
PRIO_PROCESS, PRIO_PGRP, PRIO_USER = range(3)
PTRACE_SEIZE = 0x4206
FELT_WITHIN, LEFT_ALONE_FOR = 20, 0.05


def call(name, *args):
    number = NUMBERS[name][0 if X86 else 1]
    done = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in args))
    if done < 0:
        raise OSError(ctypes.get_errno(), name)
    return done


def checked(done):
    if done < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return done


def limit(which):
    return lambda pid: resource.prlimit(pid, which, (0, resource.prlimit(pid, which)[1]))


def scheduler(pid):
    os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))


def param(pid):
    # without privileges the only parameter is 0, which changes nothing, so being allowed to set it counts
    os.sched_setparam(pid, os.sched_param(0))


def attributes(pid):
    call("sched_setattr", pid, struct.pack("<IIQiIQQQ", 48, os.SCHED_IDLE, 0, 0, 0, 0, 0, 0), 0)


def priority(which):
    def way(pid):
        who = {PRIO_PROCESS: pid, PRIO_PGRP: os.getpgid(pid), PRIO_USER: os.getuid()}[which]
        os.setpriority(which, who, 11)

    return way


def io_priority(which):
    def way(pid):
        who = {1: pid, 2: os.getpgid(pid), 3: os.getuid()}[which]
        call("ioprio_set", which, who, 3 << 13)

    return way


def by(send):
    return lambda number: lambda pid: send(pid, number)


def queue(pid, number):
    call("rt_sigqueueinfo", pid, number, struct.pack("<iii", number, 0, -1).ljust(128, b"\0"))


def through_pidfd(pid, number):
    call("pidfd_send_signal", call("pidfd_open", pid, 0), number, 0, 0)


def write(name, text):
    def way(pid):
        with open(f"/proc/{pid}/{name}", "w") as file:
            file.write(text)

    return way


def opening(name, flags):
    def way(pid):
        os.close(os.open(f"/proc/{pid}/{name}", flags))

    return way


def memory(name):
    def way(pid):
        buffer = ctypes.create_string_buffer(8)
        vector = struct.pack("<QQ", ctypes.addressof(buffer), 8)
        there = struct.pack("<QQ", address_in(pid), 8)
        call(name, pid, vector, 1, there, 1, 0)

    return way


def address_in(pid):
    try:
        with open(f"/proc/{pid}/maps") as maps:
            return next(int(line.split("-")[0], 16) for line in maps if "[heap]" in line or "rw-p" in line)
    except OSError:
        return 4096


SIGNALS = {"kill": os.kill, "tkill": lambda pid, n: call("tkill", pid, n), "queue": queue, "pidfd": through_pidfd}
SIGNALS["tgkill"] = lambda pid, n: call("tgkill", pid, pid, n)
LIMITS = {name: getattr(resource, name) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")}
LEFT_OUT = ("RLIMIT_OFILE", "RLIMIT_CPU")  # OFILE is another name of NOFILE, and CPU ends a process at once
# judged by the state of the other process afterwards
FELT = {
    "its scheduler": scheduler,
    "its scheduling attributes": attributes,
    **{f"its priority by {name}": priority(which) for which, name in enumerate(("process", "group", "user"))},
    **{f"its turn at disks by {name}": io_priority(which) for which, name in enumerate(("process", "group", "user"), 1)},
    "its oom_score_adj": write("oom_score_adj", "999"),
    "its coredump_filter": write("coredump_filter", "1"),
    "its autogroup": write("autogroup", "7"),
}
SENT = {
    f"{number.name} by {name}": by(send)(number)
    for number in (signal.SIGINT, signal.SIGRTMAX, signal.SIGSTOP, signal.SIGKILL)
    for name, send in SIGNALS.items()
}
# judged by whether the call is allowed
ALLOWED = {
    **{f"its {name}": limit(which) for name, which in LIMITS.items() if name not in LEFT_OUT},
    "its scheduling parameter": param,
    "its cores": lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid)),
    "ptrace": lambda pid: checked(libc.ptrace(PTRACE_SEIZE, pid, 0, 0)),
    "its memory read": memory("process_vm_readv"),
    "its memory written": memory("process_vm_writev"),
    "its pages moved": lambda pid: call("move_pages", pid, 0, 0, 0, 0, 2),
    "its pages migrated": lambda pid: call("migrate_pages", pid, 64, struct.pack("<Q", 1), struct.pack("<Q", 1)),
    "its files compared": lambda pid: call("kcmp", os.getpid(), pid, 2, 0, 0),
    "its descriptor taken": lambda pid: call("pidfd_getfd", call("pidfd_open", pid, 0), 1, 0),
    **{f"its {name} opened": opening(name, flags) for name, flags in {
        "mem": os.O_RDWR, "clear_refs": os.O_WRONLY, "comm": os.O_WRONLY, "fd/1": os.O_WRONLY, "environ": os.O_RDONLY,
        "cwd/.": os.O_RDONLY, "root/proc": os.O_RDONLY, "ns/net": os.O_RDONLY, "maps": os.O_RDONLY, "sched": os.O_WRONLY,
        "timens_offsets": os.O_WRONLY, "uid_map": os.O_WRONLY, "loginuid": os.O_WRONLY, "stack": os.O_RDONLY,
        "syscall": os.O_RDONLY, "pagemap": os.O_RDONLY, "io": os.O_RDONLY, "auxv": os.O_RDONLY, "personality": os.O_RDONLY,
    }.items()},
}


def seen(pid):
    """Reads what others may see of a process; None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        if fields[0] in "ZX":
            return None
        with open(f"/proc/{pid}/limits") as limits:
            said = limits.read()
        files = {}
        for name in ("oom_score_adj", "coredump_filter", "autogroup", "comm"):
            try:
                with open(f"/proc/{pid}/{name}") as file:
                    files[name] = file.read()
            except OSError:
                files[name] = None
        stopped = fields[0] in "Tt"
        cores = sorted(os.sched_getaffinity(pid))
        io = call("ioprio_get", 1, pid)
        return [stopped, os.getpriority(PRIO_PROCESS, pid), os.sched_getscheduler(pid), cores, io, said, files]
    except (FileNotFoundError, ProcessLookupError):
        return None


def victim():
    pid = os.fork()
    if pid == 0:
        # Python's own handler would wait for the end of a sleep that began just then
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.setsid()
        while True:
            time.sleep(60)
    while os.getsid(pid) != pid:
        time.sleep(0.001)
    return pid


def attempt(way, pid):
    try:
        way(pid)
        return True
    except (OSError, ValueError):
        return False


def felt(pid, before, seconds):
    """Whether the other process changed within that time: a signal may take a moment to act."""
    until = time.monotonic() + seconds
    while seen(pid) == before:
        if time.monotonic() >= until:
            return False
        time.sleep(0.002)
    return True


def tried(name, way, target):
    # in a process of its own, because some attempts hit the one who tries as well
    reader, writer = os.pipe()
    trier = os.fork()
    if trier:
        os.close(writer)
        with os.fdopen(reader) as file:
            said = file.read()
        os.waitpid(trier, 0)
        return said == "did"
    pid = victim() if target == "victim" else int(target)
    before = seen(pid)
    allowed = attempt(way, pid)
    did = allowed if name in ALLOWED else felt(pid, before, FELT_WITHIN if target == "victim" else LEFT_ALONE_FOR)
    os.write(writer, b"did" if did else b"no")
    if target == "victim":
        os.kill(pid, signal.SIGKILL)
    os._exit(0)


def main(target):
    print(json.dumps({name: tried(name, way, target) for name, way in {**FELT, **ALLOWED, **SENT}.items()}))


main(sys.argv[1])
