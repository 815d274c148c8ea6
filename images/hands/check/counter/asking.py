"""Runs that only ask: no assertion fails that held before. They look for a value that gives itself away: it knows what
was exchanged, says yes where nothing honest does, or comes in the order in which it is asked for."""

from check.counter.expects import Expects, parsed
from check.counter.spelt import mark

MOST = 200
MOST_GIVEN = 5_000


class Asking:
    """A probe calls the method of its kind: it hands on what `condition` and `method` give, and what `compared` and
    `instance` give is ignored."""

    def __init__(self, counter, sources):
        self.counter = counter
        self.found, self.given, self.count = {}, {}, 0
        trees = {path: tree for path, source in sources.items() if (tree := parsed(source))}
        expects = Expects(trees)
        self.places = {(path, at): sides for path in trees for at, sides in expects.places(path)}

    def sides(self, site, node):
        return self.places.get((site.file.path, (node.lineno, node.col_offset)))

    def note(self, site, why, test=None, by=()):
        if len(self.found) < MOST:
            self.found[site.id, self.counter.running if test is None else test] = why, [*by]

    def told(self):
        found = self.found.items()
        return [{"site": site, "test": test, "why": why, "by": by} for (site, test), (why, by) in found]

    def keep(self, site, values):
        """Records values that are compared with an expected one, to be held against another run."""
        self.count += 1
        if self.count <= MOST_GIVEN:
            key = f"{site.file.path}:{site.node.lineno}\t{self.counter.running.partition('[')[0]}"
            self.given.setdefault(key, []).append(self.marks(values))

    def marks(self, values):
        return " ".join(mark(value) for value in values)

    def condition(self, site, result, operands):
        return result

    def method(self, site, given):
        return given

    def compared(self, site, operation, left, right):
        pass

    def instance(self, site, values, kinds):
        pass

    def arranged(self, items):
        return items

    def begins(self, test):
        pass

    def is_false(self):
        """Whether the assertion chosen to be false is made false at this point of the run."""
        return True
