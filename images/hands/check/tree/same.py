"""Tells whether the files of a tree are unchanged after a tool that judges it has run."""

import hashlib
import os
import stat
import subprocess

from check.tree.trees import ENV, GIT, LINK, Repository, parents, shown

MOST = 200
CHUNK = 1024 * 1024
SUBMODULE = "160000"


def differing(payload, _):
    """Files that differ or are gone, each with whether the judged change touched it, and files that were added."""
    wanted = listed(payload["repo"], payload["tree"])
    walk = Walk(os.fsencode(payload["root"]), wanted)
    walk.into(b"")
    changed = sorted(walk.changed) + sorted(wanted.keys() - walk.seen)
    names = [os.fsdecode(path) for path in changed]
    touched = touched_since(payload, names) if names else {}
    found = [
        {"path": shown(name), "what": "changed" if path in walk.seen else "deleted", "touched": touched[name]}
        for path, name in zip(changed, names, strict=True)
    ]
    return {"files": found[:MOST], "added": [shown(os.fsdecode(path)) for path in sorted(walk.added)[:MOST]]}


def listed(repo, tree):
    """Mode, object and size by path."""
    told = subprocess.run(
        [GIT, f"--git-dir={repo}", "ls-tree", "-r", "-l", "-z", "--full-tree", tree],
        env=ENV,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    found = {}
    for line in told.split(b"\0")[:-1]:
        meta, _, path = line.partition(b"\t")
        mode, _, oid, size = meta.decode().split()
        found[path] = (mode, oid, 0 if mode == SUBMODULE else int(size))
    return found


def touched_since(payload, names):
    repository = Repository(payload["repo"])
    last, tree = (repository.tree(payload[name]).entries for name in ("last", "tree"))
    return {name: last.get(name) != tree.get(name) for name in names}


class Walk:
    """Opens only plain files of the right size, and follows no link."""

    def __init__(self, root, wanted):
        self.root = root
        self.wanted = wanted
        self.folders = {folder for path in wanted for folder in map(os.fsencode, parents(os.fsdecode(path)))}
        self.seen, self.changed, self.added = set(), set(), set()

    def into(self, folder):
        try:
            entries = [*os.scandir(os.path.join(self.root, folder))]
        except OSError:
            return  # nothing below it can be read, so it is not there
        for entry in entries:
            path = os.path.join(folder, entry.name)
            if path in self.wanted:
                self.seen.add(path)
                if not holds(entry, *self.wanted[path]):
                    self.changed.add(path)
            elif path in self.folders and entry.is_dir(follow_symlinks=False):
                self.into(path)
            else:
                self.added.add(path)


def holds(entry, mode, oid, size):
    try:
        found = entry.stat(follow_symlinks=False)
        if mode == SUBMODULE:
            return stat.S_ISDIR(found.st_mode)
        if mode == LINK:
            return stat.S_ISLNK(found.st_mode) and hashed([os.readlink(entry.path)], size) == oid
        executable = bool(found.st_mode & 0o100)
        if not stat.S_ISREG(found.st_mode) or found.st_size != size or executable != (mode == "100755"):
            return False
        fd = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb", buffering=0) as file:
            return hashed(iter(lambda: file.read(CHUNK), b""), size) == oid
    except OSError:
        return False


def hashed(parts, size):
    """The id that git gives a blob."""
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
