"""Finds the literals in tests that say what is expected: those that reach nothing but a comparison. No computed value
can depend on them."""

import ast

from check.counter import sites as sites_in

EQUAL = (ast.Eq, ast.Is)
EQUAL_METHODS = {
    f"assert{name}"
    for name in """Equal Is AlmostEqual CountEqual ListEqual TupleEqual SetEqual DictEqual SequenceEqual
    MultiLineEqual""".split()
}
COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp)
ORDERED = (ast.List, ast.Tuple)
DISPLAYS = (*ORDERED, ast.Set)
# A call of these stands for its only argument.
MAKERS = {"approx", "Decimal", "Fraction", "Path", "PurePath", "set", "frozenset", "tuple", "list", "bytearray"}
PLAIN = (ast.Call, ast.Name, ast.Attribute, ast.Subscript)
UNSURE = (ast.Compare, ast.NamedExpr, ast.BoolOp)
DRAWABLE = (str, bytes, int, float)


class Expects:
    """Finds the values that staged files and their helpers expect, by file."""

    def __init__(self, trees, others=()):
        self.trees = trees
        catchers = sites_in.catchers_in(trees.values())
        files = {path: sites_in.File(path, tree, catchers) for path, tree in trees.items()}
        self.sites = {path: [site for site in file.sites if site.unfair is None] for path, file in files.items()}
        self.caught = {id(tree): files[path].catching_lines for path, tree in trees.items()}
        self.compared = {id(node) for sites in self.sites.values() for site in sites for node in compared_in(site)}
        self.functions = {}
        self.taken = {each.arg for tree in (*trees.values(), *others) for each in asked_of_fixtures(tree)}
        self.attributes = set()
        for tree in trees.values():
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute):
                    self.attributes.add(node.attr)
                elif isinstance(node, sites_in.FUNCTIONS):
                    self.functions.setdefault(node.name, []).append(node)
        self.flowing = set()
        self.groups = {path: [*self.groups_of(tree)] for path, tree in trees.items()}

    def plain(self, path):
        """Assertions of a single call or name, or of its negation, in which nothing is exchanged. Helpers are left out,
        because their callers may expect a failure."""
        known = {id(leaf) for group in self.groups[path] for leaf in group} | self.flowing
        for site in self.sites[path]:
            node = site.node.operand if isinstance(site.node, ast.UnaryOp) else site.node
            own = site.test is not None and site.where.scope is site.where.function
            is_plain = own and site.kind == "condition" and site.alone and isinstance(node, PLAIN)
            if is_plain and not any(id(inner) in known or isinstance(inner, UNSURE) for inner in ast.walk(node)):
                yield site

    def places(self, path):
        """The places of assertions that say what is expected, each with what `side` tells of both operands."""
        for site in self.sites[path]:
            for node in (site.node,) if is_equal_method(site) else equalities(site):
                sides = [self.side(operand) for operand in operands(node)]
                if any(sides) and (site.test is None or None in sides):
                    yield (node.lineno, node.col_offset), sides

    def side(self, operand):
        """The values of a literal, True for a name that one flows into, None for anything else."""
        known = leaves(operand)
        return [leaf.value for leaf in known] or (id(operand) in self.flowing or None)

    def groups_of(self, tree):
        """Groups of constants; each group makes up one expected value."""
        for node in ast.walk(tree):
            if id(node) in self.compared:
                yield leaves(node)
            elif isinstance(node, sites_in.FUNCTIONS):
                yield from self.parameters(node, tree)
            elif isinstance(node, ast.For):
                yield from self.loop(node, node, tree)
            elif isinstance(node, COMPREHENSIONS):
                for each in node.generators:
                    yield from self.loop(each, node, tree)
            elif isinstance(node, ast.Call):
                yield from self.arguments(node, self.caught[id(tree)])
        for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, sites_in.FUNCTIONS))):
            yield from self.constants(scope)

    def parameters(self, function, tree):
        for mark in function.decorator_list:
            given = {keyword.arg for keyword in mark.keywords} if isinstance(mark, ast.Call) else {None}
            if sites_in.called(mark) == "parametrize" and not given & {None, "indirect"} and len(mark.args) > 1:
                names, rows = names_in(mark.args[0]), rows_in(mark.args[1], tree)
                yield from self.columns(function, names, rows, several=len(names) > 1)

    def loop(self, node, scope, tree):
        several = isinstance(node.target, ast.Tuple)
        targets = node.target.elts if several else [node.target]
        if all(isinstance(target, ast.Name) for target in targets):
            names = [target.id for target in targets]
            yield from self.columns(scope, names, rows_in(node.iter, tree), several)

    def columns(self, scope, names, rows, several):
        rows = [cells_in(row) if several else [row] for row in rows]
        for at, name in enumerate(names):
            found = [leaves(row[at]) for row in rows if len(row) == len(names)]
            known = any(found) and name not in self.taken and reads_of(scope, name)
            if known and self.is_only_compared(scope, name):
                yield from found

    def arguments(self, call, caught):
        """Literals passed to a helper of the tests that only compares them, except in calls that are meant to fail."""
        known = self.functions.get(call.func.id, []) if isinstance(call.func, ast.Name) else []
        sheltered = any(first <= call.lineno <= last for first, last in caught) or all(map(is_literal, call.args))
        parameters = known[0].args.args if len(known) == 1 and not sheltered else ()
        for parameter, given in zip(parameters, call.args, strict=False):
            if is_literal(given) and self.is_only_compared(known[0], parameter.arg):
                yield leaves(given)

    def constants(self, scope):
        for node in scope.body:
            target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
            if isinstance(target, ast.Name) and is_literal(node.value) and target.id not in self.attributes:
                places = [scope] if scope not in self.trees.values() else [*self.trees.values()]
                read = any(reads_of(place, target.id) for place in places)
                if read and all(self.is_only_compared(place, target.id, stores=1) for place in places):
                    yield leaves(node.value)

    def is_only_compared(self, scope, name, stores=None):
        """Whether a name is read in comparisons only; `stores`: how often it may be bound."""
        reads = reads_of(scope, name)
        bound = len([*named(scope, name)]) - len(reads)
        if any(id(node) not in self.compared for node in reads) or (stores is not None and bound > stores):
            return False
        self.flowing.update(id(node) for node in reads)
        return True


def reads_of(scope, name):
    return [node for node in named(scope, name) if isinstance(node.ctx, ast.Load)]


def named(scope, name):
    """Every use of a name. Each scope is walked once, because a file may be long."""
    if not hasattr(scope, "names"):
        scope.names = {}
        for node in ast.walk(scope):
            if isinstance(node, ast.Name):
                scope.names.setdefault(node.id, []).append(node)
    return scope.names.get(name, [])


def asked_of_fixtures(tree):
    """The parameters of fixtures: a fixture may hand on what a test is given under the same name."""
    for node in ast.walk(tree):
        if isinstance(node, sites_in.FUNCTIONS) and any("fixture" in ast.dump(each) for each in node.decorator_list):
            yield from (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)


def compared_in(site):
    """Operands of the equalities that an assertion depends on."""
    for node in (site.node,) if is_equal_method(site) else equalities(site):
        if not all(is_literal(each) for each in operands(node)):
            yield from operands(node)


def is_equal_method(site):
    """Whether the method compares two values exactly: with `places` or `delta`, another value may be equal too."""
    known = site.kind == "method" and sites_in.called(site.node) in EQUAL_METHODS
    return known and len(site.node.args) == 2 and not {"places", "delta"} & {each.arg for each in site.node.keywords}


def equalities(site):
    node = site.node if site.kind == "condition" else None
    if isinstance(node, ast.Call) and sites_in.called(node) == "all" and len(node.args) == 1:
        node = getattr(node.args[0], "elt", None)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], EQUAL):
        yield node


def operands(node):
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else node.args[:2]


def is_literal(node):
    return any(True for _ in leaves(node))


def leaves(node):
    """The constants that make up a literal; none if any part of it is no literal."""
    found = [*pieces(node)]
    return [] if None in found else [piece for piece in found if is_drawable(piece)]


def pieces(node):
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        yield from pieces(node.operand)
    elif isinstance(node, DISPLAYS):
        for each in node.elts:
            yield from pieces(each)
    elif isinstance(node, ast.Dict) and None not in node.keys:
        for each in node.values:
            yield from pieces(each)
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and sites_in.called(node) in MAKERS:
        yield from pieces(node.args[0])
    else:
        yield None


def is_drawable(constant):
    return type(constant.value) in (bool, *DRAWABLE)


def names_in(given):
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return [name.strip() for name in given.value.split(",") if name.strip()]
    found = given.elts if isinstance(given, DISPLAYS) else []
    return [each.value for each in found if isinstance(each, ast.Constant)]


def rows_in(given, tree):
    """The rows of a display, of a name that is read nowhere else, or of a table's items()."""
    if isinstance(given, ast.Call) and sites_in.called(given) == "items" and isinstance(given.func, ast.Attribute):
        table = resolved(given.func.value, tree)
        whole = isinstance(table, ast.Dict) and None not in table.keys
        return [ast.Tuple([*pair]) for pair in zip(table.keys, table.values, strict=True)] if whole else []
    given = resolved(given, tree)
    return given.elts if isinstance(given, ORDERED) else []


def resolved(given, tree):
    uses = named(tree, given.id) if isinstance(given, ast.Name) else ()
    if len(uses) != 2:
        return given
    assigned = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0] in uses]
    return assigned[0] if len(assigned) == 1 else given


def cells_in(row):
    if isinstance(row, ast.Call):
        return row.args if sites_in.called(row) == "param" else []
    return row.elts if isinstance(row, (ast.Tuple, ast.List)) else []


def parsed(source):
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
