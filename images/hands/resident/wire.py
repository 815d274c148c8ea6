"""Types of what goes over the wire between the brain and the resident.

Written from `runner/hands/pipe/wire/` by `npm run wire`; do not edit. It is read by type checkers alone: when the
programs run, nothing imports it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, Literal, TypedDict, TypeVar

Kinds = TypedDict("Kinds", {
    "call": Literal[1], "data": Literal[2], "end": Literal[3], "cancel": Literal[4], "ping": Literal[5],
    "hello": Literal[16], "result": Literal[17], "output": Literal[18], "pong": Literal[19], "open": Literal[32],
    "bytes": Literal[33], "credit": Literal[34], "finish": Literal[35], "abandon": Literal[36],
})
Sizes = TypedDict("Sizes", {"frame": Literal[1048576], "window": Literal[262144]})
Magic = Literal[b"TILTH/1\n"]
Hello = TypedDict("Hello", {"protocol": Literal[1], "pid": int, "python": str})
CallHead = TypedDict("CallHead", {"op": str})
Done = TypedDict("Done", {"ok": Literal[True], "swept": bool})
RefusalCode = Literal["usage", "tool", "io", "busy", "cancelled", "zygote_lost"]
Refused = TypedDict("Refused", {"ok": Literal[False], "code": RefusalCode, "message": str, "swept": bool})
FullWhat = Literal["space", "files", "share"]
LargeFile = TypedDict("LargeFile", {"path": str, "bytes": int})
FullDisk = TypedDict("FullDisk", {
    "what": FullWhat, "stopped": bool, "free": int, "largest": list[LargeFile], "removed": list[str],
})
CommandEnd = TypedDict("CommandEnd", {
    "exit": int | None, "signal": str | None, "timed_out": bool, "killed": list[str], "ms": float,
    "full": FullDisk | None,
})
ZygoteReady = TypedDict("ZygoteReady", {"ready": Literal[True]})
ZygoteHeader = TypedDict("ZygoteHeader", {"payload": object, "input_len": int})
ZygoteEnd = TypedDict("ZygoteEnd", {"exit": int | None, "signal": int | None, "ms": float})
ExecArgs = TypedDict("ExecArgs", {
    "argv": list[str], "cwd": str, "env": dict[str, str], "timeout_ms": float, "stdin": bool, "disk_bytes": int,
    "output": Literal["merged"], "head": int, "tail": int,
})
StreamArgs = TypedDict("StreamArgs", {
    "argv": list[str], "cwd": str, "env": dict[str, str], "timeout_ms": float, "stdin": bool, "disk_bytes": int,
    "output": Literal["stream"],
})
ExecReply = TypedDict("ExecReply", {
    "exit": int | None, "signal": str | None, "timed_out": bool, "killed": list[str], "ms": float,
    "full": FullDisk | None, "head": int, "tail": int, "omitted": int,
})
StreamReply = TypedDict("StreamReply", {
    "exit": int | None, "signal": str | None, "timed_out": bool, "killed": list[str], "ms": float,
    "full": FullDisk | None, "stderr": str,
})
Nothing = TypedDict("Nothing", {})
Withhold = TypedDict("Withhold", {"like": str, "shown": list[str]})
ReadArgs = TypedDict("ReadArgs", {
    "path": str, "offset": float | None, "limit": float | None, "max_bytes": int, "withhold": Withhold | None,
})
WithheldFiles = TypedDict("WithheldFiles", {"paths": list[str], "count": int})
ReadReply = TypedDict("ReadReply", {
    "size": int, "first_line": int, "last_line": int, "truncated": bool, "withheld": WithheldFiles,
})
Lint = TypedDict("Lint", {"argv": list[str], "timeout_ms": float})
WriteArgs = TypedDict("WriteArgs", {"path": str, "lint": Lint | None})
WriteReply = TypedDict("WriteReply", {"bytes": int, "path": str, "lint": str | None, "lint_ms": float})
EditArgs = TypedDict("EditArgs", {"path": str, "old": str, "new": str, "max_bytes": int, "lint": Lint | None})
GlobArgs = TypedDict("GlobArgs", {"pattern": str, "limit": int, "skip": list[str], "withhold": Withhold | None})
GlobReply = TypedDict("GlobReply", {"paths": list[str], "truncated": bool, "withheld": WithheldFiles})
GrepArgs = TypedDict("GrepArgs", {
    "pattern": str, "path_glob": str | None, "limit": int, "skip": list[str], "withhold": Withhold | None,
})
GrepReply = TypedDict("GrepReply", {"lines": list[str], "truncated": bool, "withheld": WithheldFiles})
ResetArgs = TypedDict("ResetArgs", {"commit": str | None})
FreshArgs = TypedDict("FreshArgs", {"tree": str})
FreshReply = TypedDict("FreshReply", {"files": int, "ms": float})
SelfTestArgs = TypedDict("SelfTestArgs", {"probe": list[str]})
Capabilities = TypedDict("Capabilities", {"eff": str, "prm": str, "inh": str, "bnd": str, "amb": str})
Mount = TypedDict("Mount", {"dest": str, "options": list[str]})
SelfTestReply = TypedDict("SelfTestReply", {
    "uid": int, "gid": int, "caps": Capabilities, "no_new_privs": int, "seccomp": int, "others_limits": bool,
    "interfaces": list[str], "namespaces": dict[str, str], "rootfs_readonly": bool, "mounts": list[Mount],
    "env_names": list[str], "readable_outside": list[str],
})
ListenReply = TypedDict("ListenReply", {"port": int})
ZygoteArgs = TypedDict("ZygoteArgs", {"argv": list[str], "env": dict[str, str]})
ZygoteReply = TypedDict("ZygoteReply", {"ready": Literal[True], "pid": int})
ZygoteCallArgs = TypedDict("ZygoteCallArgs", {"payload": object, "timeout_ms": float, "head": int, "tail": int})
ZygoteCallReply = TypedDict("ZygoteCallReply", {
    "exit": int | None, "signal": str | None, "timed_out": bool, "died": bool, "report_cut": bool, "output_head": str,
    "output_tail": str, "omitted": int, "killed": list[str], "zygote_restarted": bool, "ms": float,
})
T = TypeVar("T")
Call = TypeVar("Call")


class EachOperation(TypedDict, Generic[T]):
    exec: T
    quiet: T
    read: T
    write: T
    edit: T
    glob: T
    grep: T
    reset: T
    fresh: T
    self_test: T
    listen: T
    zygote: T
    zygote_call: T


class Performers(TypedDict, Generic[Call], total=False):
    exec: Callable[[Call, ExecArgs | StreamArgs], Awaitable[ExecReply | StreamReply]]
    quiet: Callable[[Call, Nothing], Awaitable[Nothing]]
    read: Callable[[Call, ReadArgs], Awaitable[ReadReply]]
    write: Callable[[Call, WriteArgs], Awaitable[WriteReply]]
    edit: Callable[[Call, EditArgs], Awaitable[WriteReply]]
    glob: Callable[[Call, GlobArgs], Awaitable[GlobReply]]
    grep: Callable[[Call, GrepArgs], Awaitable[GrepReply]]
    reset: Callable[[Call, ResetArgs], Awaitable[Nothing]]
    fresh: Callable[[Call, FreshArgs], Awaitable[FreshReply]]
    self_test: Callable[[Call, SelfTestArgs], Awaitable[SelfTestReply]]
    listen: Callable[[Call, Nothing], Awaitable[ListenReply]]
    zygote: Callable[[Call, ZygoteArgs], Awaitable[ZygoteReply]]
    zygote_call: Callable[[Call, ZygoteCallArgs], Awaitable[ZygoteCallReply]]
