"""Lists what a file does as facts that rules can be about: names it uses, calls or stores, and its reads of the
environment."""

import ast
from typing import NamedTuple

from check.project.library import is_library
from check.scan.answers import AGREEABLE, answers, is_agreeable
from check.scan.names import Names, as_called, canonical
from check.scan.scopes import Scope, Walk, imports_of

DICT_STORES = {"update", "__setitem__", "setdefault", "pop", "__delitem__", "clear"}
ENVIRONMENT = {"os.environ.get", "os.getenv", "os.environ.pop", "os.environ.setdefault", "os.environ.__getitem__"}
SETATTR = {"builtins.setattr", "builtins.delattr"}
GETATTR = {"builtins.getattr", "inspect.getattr_static"}
BY_ATTRIBUTE = {"operator.attrgetter", "operator.methodcaller"}
SETITEM = {"operator.setitem", "operator.delitem", *(f"builtins.dict.{name}" for name in DICT_STORES)}
REACHING = {*SETATTR, *GETATTR, "importlib.import_module", "builtins.__import__", "importlib.__import__"}
IMPORTERS = {"importlib.import_module", "builtins.__import__", "importlib.__import__"}
QUIET_LOOKUPS = {"get", "pop", "setdefault", "__contains__", "__getitem__"}
OWN_MODULE = {"__name__", "__module__", "__package__"}


class Fact(NamedTuple):
    on: str
    name: str
    node: ast.AST
    scope: Scope
    # "own" for a receiver of the project, "mock" for a patch that a test undoes
    how: str = ""


class Facts:
    """`wanted`: whether any rule is about a name of that kind."""

    def __init__(self, tree, wanted):
        self.walk = Walk(tree)
        self.names = Names(self.walk)
        self.wanted = wanted
        self.found = []

    def all(self):
        for node, scope in self.walk.seen:
            tell = TELLERS.get(type(node))
            if tell:
                tell(self, node, scope)
        return self.found

    def tell(self, on, name, node, scope, how=""):
        if self.wanted(on, name):
            self.found.append(Fact(on, name, node, scope, how))

    def importing(self, node, scope):
        for name, _ in imports_of(node):
            self.tell("use", canonical(name), node, scope)
            self.tell("import", name, node, scope)

    def name(self, node, scope):
        if isinstance(node.ctx, ast.Load):
            self.uses(node, scope)

    def uses(self, node, scope):
        for one in map(as_called, self.names.of(node, scope)):
            self.tell("use", one, node, scope)
            if one == "sys.modules" and self.is_bare(node):
                self.tell("bare", one, node, scope)

    def is_bare(self, node):
        parent = self.walk.parents.get(id(node))
        looks = isinstance(parent, ast.Attribute) and parent.attr in QUIET_LOOKUPS
        return not looks and not isinstance(parent, (ast.Subscript, ast.Compare))

    def attribute(self, node, scope):
        if isinstance(node.ctx, ast.Load):
            if self.wanted("attribute", node.attr) and not self.only_asks_for_name(node):
                own = is_own(self.names.of(node.value, scope))
                self.tell("attribute", node.attr, node, scope, "own" if own else "")
            if node.attr not in self.walk.attributes and not self.names.of(node.value, scope):
                self.tell("unknown", node.attr, node, scope)
            self.uses(node, scope)
            return
        self.tell("store_attribute", node.attr, node, scope)
        for one in self.names.of(node.value, scope):
            self.tell("store", f"{one}.{node.attr}", node, scope)

    def only_asks_for_name(self, node):
        """`frame.f_globals["__name__"]`: which module calls, as loggers and warnings ask."""
        parent = self.walk.parents.get(id(node))
        if isinstance(parent, ast.Attribute) and parent.attr == "get":
            call = self.walk.callers.get(id(parent))
            key = call.args[0] if call and call.args else None
        else:
            reads = isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Load)
            key = parent.slice if reads and parent.value is node else None
        return node.attr == "f_globals" and isinstance(key, ast.Constant) and key.value == "__name__"

    def subscript(self, node, scope):
        spaces = self.names.of(node.value, scope)
        if not isinstance(node.ctx, ast.Load):
            if "sys.path" in spaces:
                self.tell("store", "sys.path", node, scope)
            self.store_item(spaces, node.slice, node, scope)
            return
        self.uses(node, scope)
        if is_namespace(node.value):
            for text in self.names.texts(node.slice, scope):
                self.tell("attribute", text, node, scope)
                self.tell("slot", text, node, scope)
        if "os.environ" in spaces:
            for text in self.names.texts(node.slice, scope):
                self.tell("environ", text, node, scope)
        if "sys.modules" in spaces:
            self.unreadable("sys.modules", node.slice, node, scope)

    def unreadable(self, base, key, node, scope, computed=True):
        """Tells of a name that is hidden, or that only a run could tell."""
        if self.names.spelling.is_put_together(key, scope):
            self.tell("hidden", base, node, scope)
        elif computed and self.names.spelling.is_open(key, scope) and not is_of_the_file(key):
            self.tell("computed", base, node, scope)

    def store_item(self, spaces, key, node, scope):
        for space in spaces:
            if space not in ("sys.modules", "builtins") and not space.endswith(".__dict__"):
                continue
            texts = self.names.texts(key, scope)
            for text in texts:
                for name in self.names.item(space, text, scope):
                    self.tell("store", f"{name}.*" if space == "sys.modules" else name, node, scope)
            if space == "sys.modules":
                self.unreadable(space, key, node, scope, computed=False)
            elif not texts:
                self.tell("store", f"{space.removesuffix('.__dict__')}.*", node, scope)

    def call(self, node, scope):
        for one in map(as_called, self.names.of(node.func, scope)):
            self.tell("call", one, node, scope)
            self.called(one, node, scope)
        if isinstance(node.func, ast.Attribute):
            self.method(node, scope)
        self.patch(node, scope)
        self.hand_on(node, scope)
        self.uses(node, scope)

    def hand_on(self, node, scope):
        """Finds `map(setattr, [time], ...)`: a function that reaches into a module is passed on, and the module after
        it."""
        for reaching, target in zip(node.args, node.args[1:], strict=False):
            found = REACHING.intersection(map(as_called, self.names.of(reaching, scope)))
            if not found:
                continue
            for one in (*self.names.of(target, scope), *self.names.elements(target, scope)):
                if is_library(one):
                    self.tell("store" if found & SETATTR else "hidden", f"{one}.*", node, scope)
            if found & IMPORTERS:
                for inner, its in self.names.spelling.parts(target, scope):
                    for text in self.names.texts(inner, its):
                        self.tell("use", canonical(text), node, scope)

    def called(self, name, node, scope):
        if name in ENVIRONMENT:
            for text in self.names.words(node, 0, scope):
                self.tell("environ", text, node, scope)
        elif name in SETATTR or (name.endswith(".__setattr__") and len(node.args) == 3):
            self.store_by_name(node, (0, 1), scope)
        elif name in GETATTR:
            self.get_by_name(node, scope)
        elif name in SETITEM and node.args:
            self.store_item(self.names.given(node, 0, scope), node.args[-1], node, scope)
        elif name in BY_ATTRIBUTE:
            for text in self.names.words(node, 0, scope):
                for part in text.split("."):
                    self.tell("attribute", part, node, scope)
        elif name in IMPORTERS:
            self.import_by_name(node, scope)
        elif name.startswith("sys.modules.") and node.args:
            self.unreadable("sys.modules", node.args[0], node, scope)

    def import_by_name(self, node, scope):
        for text in self.names.words(node, 0, scope):
            self.tell("import", text, node, scope)
        if node.args:
            prefixed = isinstance(node.args[0], (ast.JoinedStr, ast.BinOp))
            self.unreadable("import", node.args[0], node, scope, computed=not prefixed)

    def get_by_name(self, node, scope):
        if len(node.args) < 2:
            return
        bases = self.names.given(node, 0, scope)
        for text in self.names.words(node, 1, scope):
            self.tell("attribute", text, node, scope, "own" if is_own(bases) else "")
        library = sorted(base for base in bases if is_library(base))
        if library:
            self.unreadable(library[0], node.args[1], node, scope)

    def store_by_name(self, node, places, scope, how=""):
        base, name = places
        for text in self.names.words(node, name, scope):
            self.tell("store_attribute", text, node, scope, how)
        for one in self.names.given(node, base, scope):
            for text in self.names.words(node, name, scope) or {"*"}:
                self.tell("store", f"{one}.{text}", node, scope, how)

    def method(self, node, scope):
        """Tells what is stored or read through methods of a module, a class, or the dictionary of one."""
        attr = node.func.attr
        if attr not in DICT_STORES and attr not in ("__setattr__", "__getattribute__"):
            return
        bases = self.names.of(node.func.value, scope)
        if attr == "__getattribute__" and len(node.args) == 2:
            self.get_by_name(node, scope)
            for one in self.names.given(node, 0, scope):
                for text in self.names.words(node, 1, scope):
                    self.tell("use", f"{one}.{text}", node, scope)
            return
        if attr in DICT_STORES:
            self.store_item(bases, node.args[0] if node.args else node, node, scope)
            return
        for base in bases:
            for text in self.names.words(node, 0, scope) or {"*"}:
                if attr == "__getattribute__":
                    self.tell("use", f"{base}.{text}", node, scope)
                elif len(node.args) == 2:
                    self.tell("store", f"{base}.{text}", node, scope)

    def patch(self, node, scope):
        """`mock.patch` and `monkeypatch.setattr`, which a test undoes."""
        last = spelled_name(node.func)
        above = spelled_name(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        if above == "patch" and last in ("dict", "multiple"):
            self.store_item(self.names.given(node, 0, scope), node, node, scope)
            for text in self.names.words(node, 0, scope):
                self.tell("store", f"{text}.*", node, scope, "mock")
            return
        if last == "patch":
            places = (0, len(node.args))
        elif not isinstance(node.func, ast.Attribute):
            return
        elif last in ("setattr", "delattr") or (last == "object" and above == "patch"):
            places = (0, 1)
        else:
            return
        for text in self.names.words(node, 0, scope):
            self.tell("store", text, node, scope, "mock")
        self.store_by_name(node, places, scope, "mock")

    def compare(self, node, scope):
        for operator, right in zip(node.ops, node.comparators, strict=True):
            spaces = self.names.of(right, scope) if isinstance(operator, (ast.In, ast.NotIn)) else ()
            for text in self.names.texts(node.left, scope) if spaces else ():
                if "sys.modules" in spaces:
                    self.tell("use", f"sys.modules:{text.partition('.')[0]}", node, scope)
                if "os.environ" in spaces:
                    self.tell("environ", text, node, scope)
        for side in (node.left, *node.comparators):
            self.answer(side, scope)

    def answer(self, node, scope):
        for literal in answers(node):
            self.tell("answer", "", literal, scope)

    def constant(self, node, scope):
        if isinstance(node.value, str):
            self.tell("text", node.value, node, scope)

    def put_together(self, node, scope):
        pieces = [piece.value if isinstance(piece, ast.Constant) else "{}" for piece in node.values]
        self.tell("text", "".join(map(str, pieces)), node, scope)

    def returned(self, node, scope):
        self.answer(node.value, scope)

    def function(self, node, scope):
        if isinstance(node, ast.Lambda):
            self.answer(node.body, scope)
        elif scope.kind == "class" and is_agreeable(node):
            self.tell("agreeable", node.name, node, scope)

    def class_body(self, node, scope):
        for inner in node.body:
            if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Lambda):
                names = {getattr(target, "id", "") for target in inner.targets}
                for name in names & AGREEABLE if getattr(inner.value.body, "value", None) is True else ():
                    self.tell("agreeable", name, inner, scope)


def is_own(receivers):
    """Whether all receivers are classes of the project themselves, and not reached from one through a name such as
    `__base__`."""
    return bool(receivers) and not any(is_library(one) or ".__" in one for one in receivers)


def is_namespace(node):
    return spelled_name(node.func if isinstance(node, ast.Call) else node) in ("__dict__", "vars")


def spelled_name(node):
    return getattr(node, "attr", getattr(node, "id", ""))


def is_of_the_file(key):
    """Whether a key is made from `__name__` or the like, by which code looks for its own module."""
    return any(spelled_name(inner) in OWN_MODULE for inner in ast.walk(key))


TELLERS = {
    **dict.fromkeys((ast.Import, ast.ImportFrom), Facts.importing),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda), Facts.function),
    ast.Name: Facts.name,
    ast.Attribute: Facts.attribute,
    ast.Subscript: Facts.subscript,
    ast.Call: Facts.call,
    ast.Compare: Facts.compare,
    ast.Constant: Facts.constant,
    ast.JoinedStr: Facts.put_together,
    ast.Return: Facts.returned,
    ast.ClassDef: Facts.class_body,
}
