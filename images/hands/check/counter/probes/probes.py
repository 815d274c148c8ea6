"""Puts probes into compiled code. A run that makes an assertion false compiles the same code as one that does not: the
difference is in a constant that no name leads to."""

from __future__ import annotations

import ast
import secrets
import types

from check.counter.probes.room import with_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from check.counter.probes.probe_kinds import Probe
    from check.counter.probes.probed_run import ProbedRun


class Probes:
    """Puts a text in place of each probe, which is exchanged for the probe among the constants of the compiled code."""

    def __init__(self, counter: ProbedRun) -> None:
        self.counter = counter
        self.token = secrets.token_hex(8)
        self.made: dict[str, Probe] = {}

    def called(self, probe: Probe, arguments: Sequence[ast.expr], like: ast.expr | ast.stmt) -> ast.Call:
        text = f"{self.token}{len(self.made)}"
        self.made[text] = with_room(probe)
        made = ast.Call(ast.Constant(text), [*arguments], [])
        for node in (made, made.func):
            ast.copy_location(node, like)
        return made

    def put_into(self, code: types.CodeType) -> types.CodeType:
        made, kind = self.made, types.CodeType
        constants = tuple(
            self.put_into(each) if type(each) is kind else made.get(each, each) if type(each) is str else each
            for each in code.co_consts
        )
        return code.replace(co_consts=constants)
