"""Tells what a task's own words name: a file or a table may change under a task only if its text says so."""

from __future__ import annotations

import re

from check.tree.trees import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WORD = re.compile(r"[\w./\\-]")
FILE_ENDINGS = {*"cfg html ini json lock md py rst toml txt xml yaml yml".split()}
HEADER = re.compile(r"""\[?([\w"'-]+(?:[.:][\w"'-]+)*)\]?""")


class Text:
    """The task's own words, and what they name."""

    def __init__(self, text: str, paths: Iterable[str]) -> None:
        self.text = text
        self.paths = paths
        self.by_name: dict[str, set[str]] = {}
        for path in paths:
            self.by_name.setdefault(base_name(path), set()).add(path)

    def means(self, name: str) -> bool:
        """Whether the text says the name, or one below it: a text about `ctypes.Structure` is about ctypes."""
        return any(self.has(said) or self.has_below(said) for said in (name, name[:1].upper() + name[1:]))

    def has_below(self, name: str) -> bool:
        found = re.findall(rf"(?<![\w./\\-]){re.escape(name)}\.([A-Za-z_]\w*)", self.text)
        return any(below not in FILE_ENDINGS for below in found)

    def has_module(self, name: str) -> bool:
        """Whether the text names a module, by its dotted name or by its file."""
        path = name.replace(".", "/")
        ways = [name, *(f"{root}{path}{end}" for root in ("", "src/") for end in (".py", "/__init__.py"))]
        return any(self.has(way) for way in ways if name)

    def has(self, token: str) -> bool:
        for found in re.finditer(re.escape(token), self.text):
            before = self.text[max(0, found.start() - 4) : found.start()].removesuffix("./")
            after = self.text[found.end() : found.end() + 40]
            ends = not WORD.match(after) or re.match(r"[.-]+(\W|$)", after)
            if ends and not WORD.match(before[-1:]):
                return True
        return False

    def names_file(self, path: str) -> bool:
        name = base_name(path)
        if self.has(path) or self.has(f"/workspace/{path}") or self.names_module_of(path):
            return True
        alone = self.by_name.get(name) == {path}
        in_root = path == name
        return (in_root or alone) and self.has(name)

    def names_module_of(self, path: str) -> bool:
        module = path.removesuffix(".py").removesuffix("/__init__").removeprefix("src/").replace("/", ".")
        return path.endswith(".py") and "." in module and self.has(module)

    def tables(self) -> Iterator[str]:
        """Words that could be a table's header: in brackets, or dotted."""
        for found in HEADER.finditer(self.text):
            name = found[1].replace('"', "").replace("'", "").rstrip(".:")
            bracketed = found[0].startswith("[") and found[0].endswith("]")
            if bracketed or "." in name or ":" in name:
                yield name
