"""Writes a report to its descriptor. Bound before the first line of the project runs, so that what the project does to
modules afterwards does not reach it."""

from __future__ import annotations

import json.encoder
from os import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

make_encoder = getattr(json.encoder, "c_make_encoder")
encode: Callable[[object, int], tuple[str, ...]] = make_encoder(
    None, str, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True
)


def json_of(message: object) -> bytes:
    return "".join(encode(message, 0)).encode()


def write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[write(fd, data) :]
