"""A plain run that also records the values that are compared with an expected one."""

from __future__ import annotations

from check.counter.runs.asking_run import AskingRun
from check.counter.runs.value_texts import mark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Sequence

    from check.counter.assertions.nested import Nested
    from check.counter.assertions.sites import CallSite, Condition


class RecordingRun(AskingRun):
    def condition(self, site: Condition, result: object, operands: Sequence[object]) -> object:
        if len(operands) == 2 and self.sides(site, site.node):
            self.keep(site, operands)
        return result

    def method(self, site: CallSite, given: Callable[..., object]) -> Callable[..., object]:
        def telling(*arguments: object, **keywords: object) -> object:
            if self.sides(site, site.node):
                self.keep(site, arguments[:2])
            return given(*arguments, **keywords)

        return telling

    def compared(self, site: Nested, operation: type[ast.cmpop], left: object, right: object) -> None:
        if self.sides(site, site.node):
            self.keep(site, (left, right))

    def marks(self, values: Sequence[object]) -> str:
        """A mark only if both values are the same: within a precision, any value may be given."""
        left, right = (mark_of(value) for value in values)
        return left if left == right else ""
