"""Parses each file once for all of its failures. pytest explains a failure with the statement that failed, and parses
and walks the whole file each time: with hundreds of failing sets of parameters that takes longer than the tests."""

from _pytest._code import code


def once_for_each_file():
    find, trees = code.getstatementrange_ast, {}

    def found(lineno, source, assertion=False, astnode=None):
        lines = tuple(source.lines)
        tree, start, end = find(lineno, source, assertion, trees.get(lines, astnode))
        trees[lines] = tree
        return tree, start, end

    code.getstatementrange_ast = found
