"""Takes the sting out of a worktree when its session stops; the clerk runs it there while nothing of the worker lives.

`disarm.py open` opens every folder, takes set-id bits away and removes what is no file, folder or link. `disarm.py rename`
renames the config and the hooks of everything that git takes for a repository, but for the folders named on its input
(ended by NULs), and prints what it renamed.

It stands in the folder that it looks at: a path may be longer than any system call takes, and folders lie deeper than
any stack. A file that is another user's or gone by now stops nothing; the exit status is 1 if something could not be
renamed.
"""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import ParamSpec

    P = ParamSpec("P")
    # names of the folders from the root to one of them, and the modes of its entries
    Here = list[bytes]
    Modes = dict[bytes, int]
    Visit = Callable[[Here, Modes], None]

SUFFIX = b".tilth-disabled"
TOLD = 1000  # only the end of a longer path is told


def attempt(act: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> bool:
    try:
        act(*args, **kwargs)
    except OSError:
        return False
    return True


def walk(see_to: Visit) -> None:
    """Calls `see_to(folder, modes)` in every folder, from the top down; `modes` are its entries, the root's .git left out."""
    here: Here = []
    todo = [folders(see_to, here)]
    while todo:
        if todo[-1]:
            name = todo[-1].pop()
            if attempt(os.chdir, name):
                here.append(name)
                todo.append(folders(see_to, here))
            continue
        todo.pop()
        if todo:
            here.pop()
            os.chdir(b"..")


def folders(see_to: Visit, here: Here) -> list[bytes]:
    modes: Modes = {}
    try:
        with os.scandir(b".") as found:
            for entry in found:
                if here or entry.name != b".git":
                    modes[entry.name] = entry.stat(follow_symlinks=False).st_mode
    except OSError:
        pass
    see_to(here, modes)
    return [name for name, mode in modes.items() if stat.S_ISDIR(mode)]


def open_up(_: Here, modes: Modes) -> None:
    for name, mode in modes.items():
        if stat.S_ISDIR(mode) and mode & 0o7700 != 0o700:
            attempt(os.chmod, name, mode & 0o777 | 0o700)
        elif stat.S_ISREG(mode) and mode & 0o7000:
            attempt(os.chmod, name, mode & 0o777)
        elif not (stat.S_ISDIR(mode) or stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            attempt(os.unlink, name)


class Renaming:
    def __init__(self, spared: Collection[bytes]) -> None:
        self.spared = spared
        self.failed = False

    def __call__(self, here: Here, modes: Modes) -> None:
        acting = [name for name in modes if name.lower() == b".git" and not stat.S_ISDIR(modes[name])]
        if is_git_dir(here, modes) and b"/".join(here) not in self.spared:
            acting += [name for name in modes if name.lower() in (b"config", b"config.worktree", b"hooks")]
        for name in acting:
            if attempt(os.rename, name, free_name(name)):
                path = b"/".join([*here, name])
                sys.stdout.buffer.write((path if len(path) <= TOLD else b"..." + path[-TOLD:]) + b"\0")
            else:
                self.failed = True


def is_git_dir(here: Here, modes: Modes) -> bool:
    """Also true where git would refuse the folder for something that can be added later."""
    names = {name.lower() for name in modes}
    named = bool(here) and here[-1].lower() == b".git"
    return named or {b"objects", b"refs"} <= names or {b"head", b"commondir"} <= names


def free_name(name: bytes) -> bytes:
    new = name + SUFFIX
    while os.path.lexists(new):
        new = name + SUFFIX + b"-" + os.urandom(4).hex().encode()
    return new


def main(what: str) -> int:
    if what == "open":
        attempt(os.chmod, b".", os.stat(b".").st_mode & 0o777 | 0o700)
        walk(open_up)
        return 0
    renaming = Renaming({path for path in sys.stdin.buffer.read().split(b"\0") if path})
    walk(renaming)
    return 1 if renaming.failed else 0


sys.exit(main(sys.argv[1]))
