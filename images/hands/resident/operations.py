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
    from collections.abc import Callable, Mapping
    from typing import Any

    from resident.egress import Streams
    from resident.wire import CallHead, EachOperation, Performers

    # some of the operations, by name: each takes a call and its arguments, and gives the fields of its result
    Loaded = Performers[Call]


class Operations:
    def __init__(self, loop: Loop, outbox: Outbox, sweeper: Sweeper) -> None:
        self.loop = loop
        self.outbox = outbox
        self.sweeper = sweeper
        self.workspace = Workspace()
        self.disk = Disk()
        self.streams: Streams | None = None
        self.loaded: dict[str, Any] = {}
        self.modules: EachOperation[Callable[[], Loaded]] = {
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

    async def perform(self, call: Call) -> Mapping[str, object]:
        head: CallHead = call.args
        call.op = name = head["op"]
        load = self.modules.get(name)
        if load is None:
            raise Refusal("usage", f"There is no operation {name!r}.")
        self.workspace.open_again()
        if name not in self.loaded:
            self.loaded.update(load())
        return await self.loaded[name](call, call.args)

    def receive(self, kind: int, stream: int, payload: bytes) -> None:
        """A frame of a stream, which is not one of a call."""
        if self.streams is not None:
            self.streams.receive(kind, stream, payload)

    def commands(self) -> Loaded:
        from resident.commands import Commands

        commands = Commands(self.outbox, self.sweeper, self.disk)
        return {"exec": commands.execute, "quiet": commands.quiet}

    def files(self) -> Loaded:
        from resident.files import Files

        files = Files(self.outbox, self.sweeper, self.workspace)
        return {"read": files.read, "write": files.write, "edit": files.edit}

    def search_paths(self) -> Loaded:
        from resident.search_paths import PathSearch

        return {"glob": PathSearch(self.workspace).glob}

    def search_text(self) -> Loaded:
        from resident.search_text import TextSearch

        return {"grep": TextSearch(self.sweeper).grep}

    def reset(self) -> Loaded:
        from resident.reset import Reset

        reset = Reset(self.sweeper)
        return {"reset": reset.reset, "fresh": reset.fresh}

    def self_test(self) -> Loaded:
        from resident.self_test import self_test

        return {"self_test": self_test}

    def egress(self) -> Loaded:
        from resident.egress import Streams

        self.streams = Streams(self.loop, self.outbox)
        return {"listen": self.streams.listen}

    def zygote_calls(self) -> Loaded:
        from resident.zygote_calls import ZygoteCalls

        calls = ZygoteCalls(self.outbox, self.sweeper)
        return {"zygote": calls.start, "zygote_call": calls.call}
