"""Requests to the zygote: each comes with two descriptors, and a child that was forked for it answers."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import struct
import sys
import time
import traceback
from socket import recv_fds
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from socket import socket
    from typing import Any

    from check.wire.shapes import AnyPayload, ZygoteEnd, ZygoteHeader

    # takes the payload, the input and the report's descriptor, and does not come back
    Action = Callable[[Any, bytes, int], None]


LENGTH = struct.Struct("!I")


class Request(NamedTuple):
    payload: object
    data: bytes
    report: int
    output: int


def receive(control: socket) -> Request | None:
    """A request, its input and its two descriptors; None when the resident is gone."""
    first, fds, _, _ = recv_fds(control, 65536, 2)
    if len(fds) != 2:
        return None
    for fd in fds:
        os.set_inheritable(fd, False)
    buffer = bytearray(first)
    read_to(control, buffer, LENGTH.size)
    end = LENGTH.size + LENGTH.unpack_from(buffer)[0]
    read_to(control, buffer, end)
    header: ZygoteHeader = json.loads(buffer[LENGTH.size : end])
    read_to(control, buffer, end + header["input_len"])
    return Request(header["payload"], bytes(buffer[end:]), *fds)


def read_to(control: socket, buffer: bytearray, size: int) -> None:
    while len(buffer) < size:
        chunk = control.recv(min(65536, size - len(buffer)))
        if not chunk:
            raise EOFError
        buffer += chunk


def send(control: socket, message: object) -> None:
    said = json.dumps(message).encode()
    control.sendall(LENGTH.pack(len(said)) + said)


def become_child(control: socket, report: int, output: int) -> int:
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


def fork(act: Action, control: socket, request: Request) -> int:
    payload, data, report, output = request
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


def ending(pid: int, started: float) -> ZygoteEnd:
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    took = round((time.monotonic() - started) * 1000)
    return {"exit": code if code >= 0 else None, "signal": None if code >= 0 else -code, "ms": took}


def name_of(payload: Any) -> str:
    named: AnyPayload = payload
    return named["do"]


def serve(control: socket, handlers: Mapping[str, Action]) -> None:
    while (request := receive(control)) is not None:
        started = time.monotonic()
        send(control, ending(fork(handlers[name_of(request.payload)], control, request), started))
