"""Trees of the session's repository, read through git's plumbing. Nothing here runs what a tree holds."""

import hashlib
import os
import subprocess

GIT = "/usr/bin/git"
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_NO_REPLACE_OBJECTS": "1"}
LARGEST = 2 * 1024 * 1024
LINE_SHOWN = 500


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
        return Tree(self, entries)

    def blob(self, oid):
        """None when it is larger than anything that is parsed here."""
        self.reader.stdin.write(oid.encode() + b"\n")
        self.reader.stdin.flush()
        size = int(self.reader.stdout.readline().split(b" ")[2])
        if size <= LARGEST:
            return self.reader.stdout.read(size + 1)[:-1]
        left = size + 1
        while left:
            left -= len(self.reader.stdout.read(min(left, 65536)))
        return None


class Tree:
    def __init__(self, repository, entries):
        self.repository = repository
        self.entries = entries
        self.folders = {folder for path in entries for folder in parents(path)}

    def __contains__(self, path):
        return path in self.entries

    def identity(self, path):
        """Equal for equal content of the same kind: a link is not the file that it leads to."""
        mode, oid = self.entries.get(path, (None, None))
        return (mode and mode[:3], oid)

    def is_file(self, path):
        return self.identity(path)[0] == "100"

    def text(self, path):
        """None where there is no regular file, it is too large, or it is no text."""
        if not self.is_file(path):
            return None
        content = self.repository.blob(self.entries[path][1])
        try:
            return None if content is None else content.decode()
        except UnicodeDecodeError:
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
    """Printable, whatever bytes a name holds."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def blob_id(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


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
