"""What a task's own words name: a file or a table may change under a task only where its text says so."""

import re

from check_trees import base_name

WORD = re.compile(r"[\w./\\-]")
HEADER = re.compile(r"""\[?([\w"'-]+(?:[.:][\w"'-]+)*)\]?""")


class Text:
    """The task's own words, and what they name."""

    def __init__(self, text, paths):
        self.text = text
        self.paths = paths
        self.by_name = {}
        for path in paths:
            self.by_name.setdefault(base_name(path), set()).add(path)

    def has(self, token):
        for found in re.finditer(re.escape(token), self.text):
            before = self.text[max(0, found.start() - 4) : found.start()].removesuffix("./")
            after = self.text[found.end() : found.end() + 40]
            ends = not WORD.match(after) or re.match(r"[.-]+(\W|$)", after)
            if ends and not WORD.match(before[-1:]):
                return True
        return False

    def names_file(self, path):
        name = base_name(path)
        if self.has(path) or self.has(f"/workspace/{path}"):
            return True
        alone = self.by_name.get(name) == {path}
        in_root = path == name
        return (in_root or alone) and self.has(name)

    def tables(self):
        """What could be a table's header: in brackets, or dotted."""
        for found in HEADER.finditer(self.text):
            name = found[1].replace('"', "").replace("'", "").rstrip(".:")
            bracketed = found[0].startswith("[") and found[0].endswith("]")
            if bracketed or "." in name or ":" in name:
                yield name
