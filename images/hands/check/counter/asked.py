"""Puts plain questions to the values that are compared within an assertion, and to the classes in isinstance and
issubclass."""

import ast

from check.counter import classes, falsify
from check.counter.asking import Asking
from check.project import origin

METHODS = {
    **{"assertEqual": ast.Eq, "assertIs": ast.Is, "assertIn": ast.In},
    **{"assertLess": ast.Lt, "assertLessEqual": ast.LtE, "assertGreater": ast.Gt, "assertGreaterEqual": ast.GtE},
}


class Asked(Asking):
    def __init__(self, counter, sources):
        super().__init__(counter, sources)
        self.taking, self.refusing = [], []

    def compared(self, site, operation, left, right):
        self.ask(site, operation, left, right)

    def instance(self, site, values, kinds):
        for kind in classes.of_project(kinds):
            if not all(classes.takes(value, kind) for value in values):
                self.refusing.append(kind)
            elif classes.takes_strangers(kind):
                self.taking.append((site, self.counter.running, kind))

    def told(self):
        """A class that refused something in any test is not reported: it may honestly take everything else."""
        for site, test, kind in self.taking:
            if not any(kind is each for each in self.refusing):
                by = [origin.of_class(kind, "__name__")] if origin.is_class(kind) else []
                self.note(site, "takes_everything", test, by)
        return super().told()

    def method(self, site, given):
        kind = METHODS.get(falsify.name_of_method(site))

        def asking(*arguments, **keywords):
            if kind is not None and len(arguments) > 1:
                self.ask(site, kind, *arguments[:2])
            return given(*arguments, **keywords)

        return asking

    def ask(self, site, kind, left, right):
        sides = [falsify.Side(site, site.node, value) for value in (left, right)]
        if any(falsify.passes(*attempt) for attempt in falsify.attempts(kind, *sides)):
            self.note(site, "agrees_with_all", by=falsify.who_answers(*sides))
