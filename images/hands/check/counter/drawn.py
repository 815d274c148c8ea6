"""Exchanges the values that tests expect for random ones: code that returns such a value has read it in the tests."""

import ast
import random
import re
import string

from check.counter.expects import Expects, parsed

TRIES = 30
ENOUGH = 2_000
PART = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-7]{1,3}|[\s\S])|[\s\S]")
TEXT = re.compile(r"([rRbBuU]{0,2})('''|\"\"\"|'|\")([\s\S]*)\2")
draw = random.SystemRandom()


class Exchanged:
    """The same files with other expected values, and with a random half of the plain assertions negated. `others`:
    sources that are no tests, but may hold fixtures for them."""

    def __init__(self, sources, others=()):
        self.values, self.turned, self.sources = set(), set(), {**sources}
        trees = {path: tree for path, source in sources.items() if (tree := parsed(source))}
        expects = Expects(trees, [tree for source in others if (tree := parsed(source))])
        known = {(type(each.value), each.value) for tree in trees.values() for each in constants(tree)}
        for path in trees:
            text = Text(sources[path].decode(errors="surrogateescape"))
            edits = [*self.exchanges(expects.groups[path], text, known), *self.opposites(path, expects, text)]
            self.sources[path] = text.edited(edits).encode(errors="surrogateescape")

    def exchanges(self, groups, text, known):
        """Exchanges all parts of an expected value, or a single one: code may have read one part and put the rest
        together itself."""
        for group in groups[:ENOUGH]:
            for node in group if draw.random() < 0.5 else draw.sample(group, min(1, len(group))):
                start, end = text.span(node)
                other = drawn(node.value, text.text[start:end], known)
                if other is not None:
                    self.values.add((type(node.value), literal(other)))
                    yield start, end, other

    def opposites(self, path, expects, text):
        """Negates a random half of the assertions that compare nothing and only say yes or no."""
        sites = [*expects.plain(path)]
        for site in draw.sample(sites, (len(sites) + 1) // 2):
            start, _ = text.span(site.node)
            negated = isinstance(site.node, ast.UnaryOp)
            if not negated or text.text[start : start + 4] == "not ":
                self.turned.add((path, site.node.lineno))
                yield (start, start + 4, "    ") if negated else (start, start, "not ")


def constants(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]


class Text:
    def __init__(self, text):
        self.text = text
        self.lines, at = [], 0
        for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text):
            self.lines.append((at, line))
            at += len(line)

    def span(self, node):
        """A tree counts columns in bytes."""
        ends = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
        return [self.place(*self.lines[line - 1], column) for line, column in ends]

    def place(self, at, line, column):
        before = line.encode(errors="surrogateescape")[:column]
        return at + len(before.decode(errors="surrogateescape"))

    def edited(self, edits):
        text = self.text
        for start, end, other in sorted(set(edits), reverse=True):
            text = text[:start] + other + text[end:]
        return text


def drawn(value, written, known):
    """A random literal of the same type that the tests do not use yet; None if the spelling allows none."""
    if type(value) is bool:
        return repr(not value)
    for attempt in range(TRIES):
        other = another(value, written, attempt)
        read = literal(other)
        if type(read) is type(value) and (type(read), read) not in known:
            return other
    return None


def literal(text):
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError):
        return None


def another(value, written, attempt):
    more = attempt // 10
    if type(value) is int:
        return "".join([draw.choice("123456789"), *draw.choices(string.digits, k=len(str(value)) - 1 + more)])
    if type(value) is float:
        mantissa, *exponent = re.split("(?=e)", repr(value))
        whole = re.sub(r"\d", lambda _: draw.choice("123456789"), mantissa)
        return "".join([whole, draw.choice("123456789") * more, *exponent])
    found = TEXT.fullmatch(written)
    if found is None:
        return written
    prefix, quote, inner = found.groups()
    changed = "".join(letter(each) for each in (inner if "r" in prefix.lower() else PART.findall(inner)))
    if changed == inner or more:
        changed += "".join(draw.choices(string.ascii_lowercase, k=3 + more))
    return f"{prefix}{quote}{changed}{quote}"


def letter(character):
    for kind in (string.ascii_lowercase, string.ascii_uppercase, "123456789"):
        if character in kind:
            return draw.choice(kind)
    return character
