"""Tells what is the same: in two trees, and in a tree and its folder after a tool that judges it has run."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess

from check.tree.trees import ENV, GIT, LINK, Repository, parents, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from check.wire.shapes import DifferingFile, DifferingPayload, DifferingReport, Paths, UnchangedPayload

    # mode, object and size
    File = tuple[str, str, int]


MOST = 200
CHUNK = 1024 * 1024
SUBMODULE = "160000"


def unchanged(payload: UnchangedPayload, paths: Iterable[str]) -> Paths:
    """The paths at which two trees have the same object."""
    at = Repository(payload["repo"]).oid_at
    return {"paths": [path for path in paths if at(payload["base"], path) == at(payload["tree"], path) is not None]}


def differing(payload: DifferingPayload, _: object) -> DifferingReport:
    """Files that differ or are gone, each with whether the judged change touched it, and files that were added."""
    wanted = listed(payload["repo"], payload["tree"])
    walk = FolderWalk(os.fsencode(payload["root"]), wanted)
    walk.into(b"")
    changed = sorted(walk.changed) + sorted(wanted.keys() - walk.seen)
    names = [os.fsdecode(path) for path in changed]
    touched = touched_since(payload, names) if names else {}
    found: list[DifferingFile] = [
        {"path": shown(name), "what": "changed" if path in walk.seen else "deleted", "touched": touched[name]}
        for path, name in zip(changed, names, strict=True)
    ]
    return {"files": found[:MOST], "added": [shown(os.fsdecode(path)) for path in sorted(walk.added)[:MOST]]}


def listed(repo: str, tree: str) -> dict[bytes, File]:
    told = subprocess.run(
        [GIT, f"--git-dir={repo}", "ls-tree", "-r", "-l", "-z", "--full-tree", tree],
        env=ENV,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    found: dict[bytes, File] = {}
    for line in told.split(b"\0")[:-1]:
        meta, _, path = line.partition(b"\t")
        mode, _, oid, size = meta.decode().split()
        found[path] = (mode, oid, 0 if mode == SUBMODULE else int(size))
    return found


def touched_since(payload: DifferingPayload, names: list[str]) -> dict[str, bool]:
    repository = Repository(payload["repo"])
    last, tree = repository.tree(payload["last"]).entries, repository.tree(payload["tree"]).entries
    return {name: last.get(name) != tree.get(name) for name in names}


class FolderWalk:
    """Opens only plain files of the right size, and follows no link."""

    def __init__(self, root: bytes, wanted: dict[bytes, File]) -> None:
        self.root = root
        self.wanted = wanted
        self.folders = {folder for path in wanted for folder in map(os.fsencode, parents(os.fsdecode(path)))}
        self.seen: set[bytes] = set()
        self.changed: set[bytes] = set()
        self.added: set[bytes] = set()

    def into(self, folder: bytes) -> None:
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


def holds(entry: os.DirEntry[bytes], mode: str, oid: str, size: int) -> bool:
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


def hashed(parts: Iterable[bytes], size: int) -> str:
    """The id that git gives a blob."""
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
