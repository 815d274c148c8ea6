"""The zygote: loads everything, says that it is ready, and answers requests until the resident is gone."""

from __future__ import annotations

import gc

from check.actions import ACTIONS
from check.requests import send, serve
from check.warm import scatter, warm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket

    from check.wire.shapes import ZygoteReady


def run(control: socket) -> None:
    warm()
    scatter()
    gc.collect()
    gc.freeze()  # so that the collector does not write to pages that the children share
    ready: ZygoteReady = {"ready": True}
    send(control, ready)
    try:
        serve(control, ACTIONS)
    except (EOFError, ConnectionError):
        pass
