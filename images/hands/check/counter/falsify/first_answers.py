"""Keeps how a comparison answered before the test itself compared."""

from __future__ import annotations

import operator

from check.counter.falsify.answers import passes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # two values that are not equal
    Question = tuple[object, object]


class FirstAnswers:
    """`strayed`: yes to the first question; an honest value may say that, but then says yes to the real one too.
    `wavered`: no to the real one. `agreed`: the questions that got a yes."""

    __slots__ = ("agreed", "strayed", "wavered")

    def __init__(self, strayed: bool, wavered: bool, agreed: Sequence[Question]) -> None:
        self.strayed = strayed
        self.wavered = wavered
        self.agreed = agreed

    def breaks_off(self) -> bool:
        """Whether a question that got a yes gets a no now."""
        return not all([passes(operator.eq, *question) for question in self.agreed])
