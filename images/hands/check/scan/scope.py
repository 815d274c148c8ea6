"""Names and what they are bound to, for one scope of a file. A binding is a kind, what is bound, and the scope to read
it in: "name" (of what is imported), "value", "each" (any element of it), "holds" (put into it), "class", "function"."""

OPAQUE = ("opaque", None, None)


class Scope:
    def __init__(self, kind, parent, name=""):
        self.kind = kind
        self.parent = parent
        self.name = name
        self.names = {}
        self.parameters = []
        self.rest = []
        self.returns = []
        self.stars = parent.stars if parent else []
        self.at_import = parent is None or (parent.at_import and kind != "function")
        self.by_hand = bool(parent and parent.by_hand)

    def bind(self, name, binding):
        self.names.setdefault(name, []).append(binding)

    def find(self, name):
        """Bindings of a name as code in this scope sees them; None when nothing in the file binds it."""
        scope = self
        while scope is not None:
            if name in scope.names and (scope is self or scope.kind != "class"):
                return scope.names[name]
            scope = scope.parent
        return None

    def path(self):
        return f"{self.parent.path()}.{self.name}" if self.parent else "<own>"

    def module(self):
        return self.parent.module() if self.parent else self

    def functions(self):
        """Names of the functions around, innermost first."""
        scope = self
        while scope is not None:
            if scope.kind == "function":
                yield scope.name
            scope = scope.parent

    def for_main(self):
        """A scope with the same names, for code that runs only when the file is started as a program."""
        scope = Scope("main", self.parent, self.name)
        scope.names, scope.stars, scope.at_import, scope.by_hand = self.names, self.stars, False, True
        return scope
