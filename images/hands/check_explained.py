"""Failures are explained with the statement that failed, for which pytest parses and walks the whole file every time:
hundreds of sets of parameters that fail would take longer than the tests themselves. One tree for each file serves."""

from _pytest._code import code


def once_for_each_file():
    find, trees = code.getstatementrange_ast, {}

    def found(lineno, source, assertion=False, astnode=None):
        lines = tuple(source.lines)
        tree, start, end = find(lineno, source, assertion, trees.get(lines, astnode))
        trees[lines] = tree
        return tree, start, end

    code.getstatementrange_ast = found
