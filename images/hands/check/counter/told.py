"""A plain run that also records the values that are compared with an expected one."""

from check.counter.asking import Asking
from check.counter.spelt import mark


class Told(Asking):
    def condition(self, site, result, operands):
        if len(operands) == 2 and self.sides(site, site.node):
            self.keep(site, operands)
        return result

    def method(self, site, given):
        def telling(*arguments, **keywords):
            if self.sides(site, site.node):
                self.keep(site, arguments[:2])
            return given(*arguments, **keywords)

        return telling

    def compared(self, site, operation, left, right):
        if self.sides(site, site.node):
            self.keep(site, (left, right))

    def marks(self, values):
        """A mark only if both values are the same: within a precision, any value may be given."""
        left, right = (mark(value) for value in values)
        return left if left == right else ""
