"""Probes comparisons inside an assertion, and the questions that tests ask about classes."""

import ast

from check.counter import sites as sites_in

ASKING = ("isinstance", "issubclass")
SIMPLE = (ast.Name, ast.Constant)


class Nested:
    """One comparison of an assertion, or one question for a class."""

    def __init__(self, file, node, where=None, operation=None):
        self.file = file
        self.node = node
        self.where = where or sites_in.Where(file.path)
        self.operation = operation
        self.id = f"{file.path}:{node.lineno}:{node.col_offset}"


def within(file):
    """Comparisons inside assertions, as in a generator, a chain or an alternative: by place, each with its
    assertion."""
    found = {}
    for site in file.sites:
        if site.kind == "condition":
            held = [node for node in ast.walk(site.node) if isinstance(node, ast.Compare)]
            left_out = {id(each) for node in held for each in (node.left, *node.comparators)}
            left_out |= {id(each) for each in iterated(site.node)}
            for node in held:
                if id(node) not in left_out and (node is not site.node or len(node.ops) > 1):
                    found[place(node)] = site
    return found


def iterated(node):
    """The iterables of comprehensions, in which Python allows no assignment expression."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.comprehension):
            yield from ast.walk(inner.iter)


def place(node):
    """The position of a node, which pytest's rewriter keeps."""
    return tuple(getattr(node, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))


def mark(file, found, probes):
    for number, node in enumerate([*ast.walk(file.tree)]):
        if isinstance(node, ast.Compare) and place(node) in found:
            mark_compared(node, found[place(node)], number, probes)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) in ASKING and len(node.args) == 2:
            value, kinds = node.args
            given = [value, kinds] if isinstance(value, SIMPLE) else [kinds]
            node.args[1] = probes.called(Nested(file, node), given, kinds, "instance")


def mark_compared(node, site, number, probes):
    given = [node.left, *node.comparators]
    if any(not isinstance(each, SIMPLE) for each in given) and not isinstance(site.where.scope, sites_in.FUNCTIONS):
        return
    pairs = [twice(f"@{number}.{at}", each) for at, each in enumerate(given)]
    node.left = pairs[0][0]
    for at, operation in enumerate(node.ops):
        nested = Nested(site.file, node, site.where, type(operation))
        arguments = [pairs[at][1], pairs[at + 1][0]]
        node.comparators[at] = probes.called(nested, arguments, given[at + 1], "compared")


def twice(name, operand):
    """The operand, and an expression that gives the same value again."""
    if isinstance(operand, SIMPLE):
        return operand, operand
    return kept(name, operand)


def kept(name, operand):
    """The operand, which also gives its value a name; and that name."""
    store, load = (ast.copy_location(ast.Name(name, context), operand) for context in (ast.Store(), ast.Load()))
    return ast.copy_location(ast.NamedExpr(store, operand), operand), load
