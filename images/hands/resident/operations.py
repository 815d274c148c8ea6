"""Everything that can be asked of the resident, by name. A module is loaded when the first of its operations is asked for:
no role of a container needs them all, and every start would wait for them."""

from __future__ import annotations

from resident.calls import Call, Refusal
from resident.disk import Disk
from resident.frames import Outbox
from resident.loop import Loop
from resident.sweep import Sweeper
from resident.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from resident.egress import Streams

    # takes a call and gives the fields of its result
    Operation = Callable[[Call], Awaitable[dict[str, Any]]]


class Operations:
    def __init__(self, loop: Loop, outbox: Outbox, sweeper: Sweeper) -> None:
        self.loop = loop
        self.outbox = outbox
        self.sweeper = sweeper
        self.workspace = Workspace()
        self.disk = Disk()
        self.streams: Streams | None = None
        self.loaded: dict[str, Operation] = {}
        self.modules: dict[str, Callable[[], dict[str, Operation]]] = {
            "exec": self.commands,
            "quiet": self.commands,
            "read": self.files,
            "write": self.files,
            "edit": self.files,
            "glob": self.search_paths,
            "grep": self.search_text,
            "reset": self.reset,
            "fresh": self.reset,
            "self_test": self.self_test,
            "listen": self.egress,
            "zygote": self.zygote_calls,
            "zygote_call": self.zygote_calls,
        }

    async def perform(self, call: Call) -> dict[str, Any]:
        name: Any = call.args.get("op")
        load = self.modules.get(name)
        if load is None:
            raise Refusal("usage", f"There is no operation {name!r}.")
        self.workspace.open_again()
        if name not in self.loaded:
            self.loaded.update(load())
        return await self.loaded[name](call)

    def receive(self, kind: int, stream: int, payload: bytes) -> None:
        """A frame of a stream, which is not one of a call."""
        if self.streams is not None:
            self.streams.receive(kind, stream, payload)

    def commands(self) -> dict[str, Operation]:
        from resident.commands import Commands

        commands = Commands(self.outbox, self.sweeper, self.disk)
        return {"exec": commands.execute, "quiet": commands.quiet}

    def files(self) -> dict[str, Operation]:
        from resident.files import Files

        files = Files(self.outbox, self.sweeper, self.workspace)
        return {"read": files.read, "write": files.write, "edit": files.edit}

    def search_paths(self) -> dict[str, Operation]:
        from resident.search_paths import PathSearch

        return {"glob": PathSearch(self.workspace).glob}

    def search_text(self) -> dict[str, Operation]:
        from resident.search_text import TextSearch

        return {"grep": TextSearch(self.sweeper).grep}

    def reset(self) -> dict[str, Operation]:
        from resident.reset import Reset

        reset = Reset(self.sweeper)
        return {"reset": reset.reset, "fresh": reset.fresh}

    def self_test(self) -> dict[str, Operation]:
        from resident.self_test import self_test

        return {"self_test": self_test}

    def egress(self) -> dict[str, Operation]:
        from resident.egress import Streams

        self.streams = Streams(self.loop, self.outbox)
        return {"listen": self.streams.listen}

    def zygote_calls(self) -> dict[str, Operation]:
        from resident.zygote_calls import ZygoteCalls

        calls = ZygoteCalls(self.outbox, self.sweeper)
        return {"zygote": calls.start, "zygote_call": calls.call}
