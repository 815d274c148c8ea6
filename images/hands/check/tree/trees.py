"""Trees of the session's repository, read through git's plumbing. Nothing here runs what a tree holds."""

import hashlib
import io
import os
import subprocess
import tokenize
from posixpath import normpath

GIT = "/usr/bin/git"
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_NO_REPLACE_OBJECTS": "1"}
LARGEST = 2 * 1024 * 1024
LINE_SHOWN = 500
LINK = "120000"


class Repository:
    def __init__(self, path):
        self.path = path
        self.reader = subprocess.Popen(
            [GIT, f"--git-dir={path}", "cat-file", "--batch"],
            env=ENV,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def tree(self, oid):
        listed = subprocess.run(
            [GIT, f"--git-dir={self.path}", "ls-tree", "-r", "-z", "--full-tree", oid],
            env=ENV,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        entries = {}
        for line in listed.split(b"\0")[:-1]:
            meta, _, path = line.partition(b"\t")
            mode, _, blob = meta.decode().split(" ")
            entries[os.fsdecode(path)] = (mode, blob)
        return Tree(self, entries, oid)

    def mentioning(self, oid, words):
        """Paths of the .py files in a tree that hold one of the words."""
        asked = [option for word in words for option in ("-e", word)]
        found = subprocess.run(
            [GIT, f"--git-dir={self.path}", "grep", "-l", "-z", "-a", "-w", "-F", *asked, oid, "--", "*.py"],
            env=ENV,
            stdout=subprocess.PIPE,
        )
        if found.returncode > 1:
            raise OSError(f"git grep ended with {found.returncode}")
        return [os.fsdecode(line.partition(b":")[2]) for line in found.stdout.split(b"\0")[:-1]]

    def ask(self, name):
        self.reader.stdin.write(name + b"\n")
        self.reader.stdin.flush()
        return self.reader.stdout.readline().rstrip(b"\n").rsplit(b" ", 2)

    def oid_at(self, tree, path):
        """The object that a tree has at a path, without listing the tree; None for nothing, and for a name that cannot
        be asked for."""
        name = os.fsencode(path)
        if b"\n" in name:
            return None
        oid, *kind = self.ask(f"{tree}:".encode() + name)
        if len(kind) < 2 or not kind[1].isdigit():
            return None
        self.skip(int(kind[1]) + 1)
        return oid.decode()

    def blob(self, oid):
        """The content of a blob; None if it is larger than anything that is parsed here."""
        size = int(self.ask(oid.encode())[2])
        if size <= LARGEST:
            return self.reader.stdout.read(size + 1)[:-1]
        self.skip(size + 1)
        return None

    def skip(self, left):
        while left:
            left -= len(self.reader.stdout.read(min(left, 65536)))


class Tree:
    def __init__(self, repository, entries, oid=None):
        self.repository = repository
        self.oid = oid
        self.entries = entries
        self.folders = {folder for path in entries for folder in parents(path)}
        self.links = {path for path, (mode, _) in entries.items() if mode == LINK}
        self.known_modules = None

    def __contains__(self, path):
        return path in self.entries

    def identity(self, path):
        """Equal for equal content of the same kind: a link is not the file that it leads to, and changes with it."""
        mode, oid = self.entries.get(path, (None, None))
        if mode == LINK:
            return ("120", oid, self.content_identity(self.resolved(path)))
        if mode is None and self.links:
            real = self.resolved(path)
            return ("through", real, self.content_identity(real)) if real != path and real in self else (None, None)
        return (mode and mode[:3], oid)

    def content_identity(self, path):
        """The identity of a file, or of everything in a folder."""
        if path in self.folders:
            return tuple(sorted(item for item in self.entries.items() if item[0].startswith(f"{path}/")))
        return self.entries.get(path)

    def resolved(self, path, hops=16):
        """The path with the links on its way followed, as long as they stay in the tree."""
        parts = path.split("/") if self.links else []
        for end in range(1, len(parts) + 1):
            start = "/".join(parts[:end])
            if start in self.links and hops:
                target = self.link(start)
                there = normpath(join(folder_of(start), target))
                return path if target.startswith("/") else self.resolved("/".join([there, *parts[end:]]), hops - 1)
        return path

    def is_file(self, path):
        return self.identity(path)[0] == "100"

    def mentioning(self, words):
        return self.repository.mentioning(self.oid, words)

    def modules(self):
        """Names of everything in the tree that could be imported."""
        if self.known_modules is None:
            names = {base_name(folder) for folder in self.folders}
            self.known_modules = names | {base_name(path).partition(".")[0] for path in self.entries}
        return self.known_modules

    def link(self, path):
        """The target of a link as it is written; None if the path is no link."""
        if path not in self.links:
            return None
        return os.fsdecode(self.repository.blob(self.entries[path][1]) or b"")

    def content(self, path):
        """The bytes of a regular file, links followed; None if there is none, or it is too large."""
        path = self.resolved(path)
        return self.repository.blob(self.entries[path][1]) if self.is_file(path) else None

    def text(self, path):
        """The text of a file, in the encoding that a source declares; None if there is no regular file, or it is too
        large or no text."""
        content = self.content(path)
        try:
            if content is None or not path.endswith(".py"):
                return None if content is None else content.decode()
            return content.decode(tokenize.detect_encoding(io.BytesIO(content).readline)[0])
        except (UnicodeDecodeError, SyntaxError):
            return None


def parents(path):
    cut = path.rfind("/")
    while cut > 0:
        path = path[:cut]
        yield path
        cut = path.rfind("/")


def base_name(path):
    return path.rpartition("/")[2]


def folder_of(path):
    return path.rpartition("/")[0]


def join(folder, name):
    return f"{folder}/{name}" if folder else name


def shown(path):
    """The path in printable characters, whatever bytes it holds."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def blob_id(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def unchanged(payload, paths):
    """The paths at which two trees have the same object."""
    at = Repository(payload["repo"]).oid_at
    return {"paths": [path for path in paths if at(payload["base"], path) == at(payload["tree"], path) is not None]}


def lines(payload, wanted):
    """The text of lines, for each path and number asked for; "" where there is none to read."""
    files = {}
    return {"lines": [line_of(files, payload["root"], path, number) for path, number in wanted]}


def line_of(files, root, path, number):
    if path not in files:
        files[path] = read_lines(os.path.join(root, path))
    found = files[path]
    return found[number - 1][:LINE_SHOWN] if 0 < number <= len(found) else ""


def read_lines(path):
    if not path.endswith((".py", ".pyi", ".toml")):
        return []
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            return file.read(LARGEST).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
