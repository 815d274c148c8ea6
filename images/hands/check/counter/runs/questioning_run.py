"""Puts plain questions to the values that are compared within an assertion, and to the classes in isinstance and
issubclass."""

from __future__ import annotations

from check.counter.falsify.answers import passes
from check.counter.falsify.attempts import attempts
from check.counter.falsify.calls import COMPARING
from check.counter.falsify.first_questions import denies
from check.counter.falsify.sides import Side, who_answers
from check.counter.runs import accepting_classes
from check.counter.runs.asking_run import AskingRun
from check.project import origin
from check.project.kinds import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from check.counter.assertions.nested import Nested
    from check.counter.assertions.sites import CallSite, Place
    from check.counter.falsify.tally import Tally
    from check.wire.shapes import Betrayal


class QuestioningRun(AskingRun):
    def __init__(self, counter: Tally, sources: Mapping[str, bytes]) -> None:
        super().__init__(counter, sources)
        self.taking: list[tuple[Nested, str, object]] = []
        self.refusing: list[object] = []
        self.denied: dict[str, bool] = {}

    def compared(self, site: Nested, operation: type[ast.cmpop], left: object, right: object) -> None:
        self.ask(site, operation, left, right)
        sides = [Side(site, site.node, value) for value in (left, right)]
        self.denied[site.id] = passes(denies, operation, *sides)

    def answered(self, site: Nested, result: object) -> None:
        """The test gets a yes where the same question, put from here, was answered with no."""
        if self.denied.pop(site.id, False) and passes(bool, result):
            self.note(site, "hangs_on_caller")

    def instance(self, site: Nested, values: Sequence[object], kinds: object) -> None:
        for kind in accepting_classes.of_project(kinds):
            if not all(accepting_classes.takes(value, kind) for value in values):
                self.refusing.append(kind)
            elif accepting_classes.takes_strangers(kind):
                self.taking.append((site, self.counter.running, kind))

    def told(self) -> list[Betrayal]:
        """A class that refused something in any test is not reported: it may honestly take everything else."""
        for site, test, kind in self.taking:
            if not any(kind is each for each in self.refusing):
                by = [name_of(kind)] if origin.is_class(kind) else []
                self.note(site, "takes_everything", test, by)
        return super().told()

    def method(self, site: CallSite, given: Callable[..., object]) -> Callable[..., object]:
        kind = COMPARING.get(site.name)

        def asking(*arguments: object, **keywords: object) -> object:
            if kind is not None and len(arguments) > 1:
                self.ask(site, kind, *arguments[:2])
            return given(*arguments, **keywords)

        return asking

    def ask(self, site: Place, kind: type[ast.cmpop], left: object, right: object) -> None:
        sides = [Side(site, site.node, value) for value in (left, right)]
        try:
            if any(passes(*attempt) for attempt in attempts(kind, *sides)):
                self.note(site, "agrees_with_all", by=who_answers(*sides))
        except BaseException:
            self.note(site, "agrees_with_all")  # a value that cannot be asked
