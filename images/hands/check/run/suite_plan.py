"""Finds the test files that a change reaches by import, and hashes what test functions hold. Runs nothing of a tree.
Imports decide only which tests run first, so lines are matched as they are and not parsed."""

import ast
import hashlib
import re

from check.tree.imports import FUNCTIONS, folder_up, parse
from check.tree.trees import Repository, folder_of, join, parents

IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\(?[^#\n]*)|import[ \t]+([^#\n]+))", re.MULTILINE)
MOST_READ = 4_000


def touched(payload, given):
    """Picks those of `files`, in their order, that import a changed file, are one, or stand beside one."""
    tree = Repository(payload["repo"]).tree(payload["tree"])
    changed = set(given["changed"])
    folders = {folder_of(path) for path in changed if not path.endswith(".py")}
    graph = Graph(tree)
    return {"paths": [path for path in given["files"] if folder_of(path) in folders or graph.reaches(path, changed)]}


class Graph:
    def __init__(self, tree):
        self.tree = tree
        self.known = {}
        self.modules = {}
        for path in tree.entries:
            if path.endswith(".py"):
                for name in names_of(path, tree):
                    self.modules.setdefault(name, path)

    def reaches(self, start, changed):
        todo, done = [start, *conftests(start)], set()
        while todo:
            path = todo.pop()
            if path in changed:
                return True
            if path not in done:
                done.add(path)
                todo += self.imported_by(path)
        return False

    def imported_by(self, path):
        if path not in self.known:
            text = self.tree.text(path) if path in self.tree and len(self.known) < MOST_READ else None
            self.known[path] = list(self.found(path, text or ""))
        return self.known[path]

    def found(self, path, text):
        for start, names, whole in IMPORT.findall(text):
            for name in whole.split(","):
                yield from self.located(name.split(" as ")[0].strip())
            if start:
                level = len(start) - len(start.lstrip("."))
                base = self.relative(path, start, level) if level else start
                yield from self.located(base)
                for name in names.strip("( )").split(","):
                    yield from self.located(f"{base}.{name.split(' as ')[0].strip(' ()')}")

    def relative(self, path, start, level):
        folder = folder_up(path, level)
        return ".".join(part for part in [*folder.split("/"), *start[level:].split(".")] if part)

    def located(self, name):
        """The module and the packages around it, whose code runs as well."""
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            found = self.modules.get(".".join(parts[:end]))
            if found:
                yield found


def names_of(path, tree):
    """The dotted names it may be imported by: from the tree's root, and from the folder that its package stands in."""
    stem = path.removesuffix(".py").removesuffix("/__init__")
    root = folder_of(stem)
    while root and f"{root}/__init__.py" in tree:
        root = folder_of(root)
    for start in dict.fromkeys(["", root, "src"]):
        if not start or stem.startswith(f"{start}/"):
            yield stem[len(start) + 1 if start else 0 :].replace("/", ".")


def conftests(path):
    return [join(folder, "conftest.py") for folder in [*parents(path), ""]]


def bodies(payload, given):
    """For each tree and path the functions in it, with a hash of each one without its name and docstring."""
    repository = Repository(payload["repo"])
    trees = {oid: repository.tree(oid) for oid in {one["tree"] for one in given}}
    return {"files": [{"functions": sums(trees[one["tree"]].text(one["path"]))} for one in given]}


def sums(source):
    module = parse(source)
    return dict(walked(module.body, "")) if module else {}


def walked(body, around):
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from walked(node.body, f"{around}{node.name}::")
        elif isinstance(node, FUNCTIONS):
            held = [*node.decorator_list, node.args, *without_docstring(node.body)]
            text = "\n".join(ast.dump(part) for part in held)
            yield f"{around}{node.name}", hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def without_docstring(body):
    first = body[0] if body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return body[1:] if is_text else body
