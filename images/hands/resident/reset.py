"""The operations `reset` and `fresh`: everything that outlives a process is wiped, and a tree checked out."""

from __future__ import annotations

import ctypes
import os
import re
import stat
import struct
import time

from resident.calls import Call, Refusal
from resident.commands import run_trusted
from resident.loop import breathe
from resident.paths import LIST, WORKSPACE
from resident.sweep import Sweeper, Turn

REPO = "/repo"
HOME = "/home/tilth"
SCRATCH_GIT = HOME + "/.scratch.git"
CHECKOUT_GIT = "/tmp/.checkout.git"
WIPED = ("/tmp", HOME, "/dev/shm", "/dev/mqueue")
GIT = "/usr/bin/git"
IPC_RMID = 0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from resident.wire import FreshArgs, FreshReply, Nothing, ResetArgs

libc = ctypes.CDLL(None)


async def empty_folder(path: str) -> None:
    """Deletes everything in a folder. Folders in folders are hoisted to the top first, so no depth is too deep."""
    try:
        os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | 0o700)
    except OSError:
        pass
    try:
        top = os.open(path, LIST)
    except FileNotFoundError:
        return
    try:
        while folders := await delete_files(top):
            for name in folders:
                await hoist_and_delete(top, name)
    except OSError as error:
        raise Refusal("io", f"{path} could not be wiped: {error.strerror}.") from None
    finally:
        os.close(top)


async def delete_files(fd: int) -> list[str]:
    """Gives the names of the folders, which stay."""
    folders: list[str] = []
    with os.scandir(fd) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for count, (name, is_folder) in enumerate(entries, 1):
        if is_folder:
            os.chmod(name, 0o700, dir_fd=fd)
            folders.append(name)
        else:
            os.unlink(name, dir_fd=fd)
        if count % 500 == 0:
            await breathe()
    return folders


async def hoist_and_delete(top: int, name: str) -> None:
    fd = os.open(name, LIST, dir_fd=top)
    try:
        for inner in await delete_files(fd):
            os.rename(inner, f".hoisted-{os.urandom(8).hex()}", src_dir_fd=fd, dst_dir_fd=top)
    finally:
        os.close(fd)
    os.rmdir(name, dir_fd=top)


def remove_system_v() -> None:
    calls: dict[str, Callable[[int], object]] = {
        "msg": lambda number: libc.msgctl(number, IPC_RMID, None),
        "sem": lambda number: libc.semctl(number, 0, IPC_RMID, 0),
        "shm": lambda number: libc.shmctl(number, IPC_RMID, None),
    }
    for kind, remove in calls.items():
        try:
            with open(f"/proc/sysvipc/{kind}", "rb") as table:
                for line in table.readlines()[1:]:
                    remove(int(line.split()[1]))
        except FileNotFoundError:
            pass


def borrowing_git_dir(path: str, commit: str | None = None) -> None:
    """A repository whose objects are those of /repo, and for which bytes are bytes."""
    for folder in ("objects/info", "objects/pack", "refs/heads", "info"):
        os.makedirs(f"{path}/{folder}")
    files = {
        "HEAD": "ref: refs/heads/work\n",
        "config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogallrefupdates = true\n"
        "[user]\n\tname = worker\n\temail = worker@tilth.invalid\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n",
        "objects/info/alternates": f"{REPO}/objects\n",
        "info/attributes": "* -text !eol -ident -filter !working-tree-encoding\n",
    }
    if commit is not None:
        files["refs/heads/work"] = commit + "\n"
    if os.path.exists(f"{REPO}/shallow"):
        with open(f"{REPO}/shallow") as shallow:
            files["shallow"] = shallow.read()
    for name, text in files.items():
        with open(f"{path}/{name}", "w") as file:
            file.write(text)


def object_id(text: str, name: str) -> str:
    if not re.fullmatch("[0-9a-f]{40}", text):
        raise Refusal("usage", f"{name} is not an object id.")
    return text


def index_size(git_dir: str) -> int:
    with open(f"{git_dir}/index", "rb") as index:
        return struct.unpack("!I", index.read(12)[8:])[0]


class Reset:
    def __init__(self, sweeper: Sweeper) -> None:
        self.sweeper = sweeper

    async def reset(self, call: Call, args: ResetArgs) -> Nothing:
        commit = args["commit"]
        async with Turn(self.sweeper, call):
            await self.wipe()
            if commit is not None:
                borrowing_git_dir(SCRATCH_GIT, object_id(commit, "commit"))
                await self.git(SCRATCH_GIT, "read-tree", commit)
        return {}

    async def fresh(self, call: Call, args: FreshArgs) -> FreshReply:
        tree = object_id(args["tree"], "tree")
        started = time.monotonic()
        async with Turn(self.sweeper, call):
            await self.wipe()
            await empty_folder(os.fsdecode(WORKSPACE))
            borrowing_git_dir(CHECKOUT_GIT)
            await self.git(CHECKOUT_GIT, "read-tree", "--reset", "-u", tree)
            files = index_size(CHECKOUT_GIT)
            await empty_folder("/tmp")
        return {"files": files, "ms": round((time.monotonic() - started) * 1000)}

    async def wipe(self) -> None:
        await self.sweeper.sweep()
        for folder in WIPED:
            await empty_folder(folder)
        remove_system_v()

    async def git(self, git_dir: str, *args: str) -> None:
        workspace = os.fsdecode(WORKSPACE)
        # in memory all of it is gone with the container
        argv = [GIT, "-c", "core.fsync=none", *args]
        env = {"GIT_DIR": git_dir, "GIT_WORK_TREE": workspace}
        code, problem = await run_trusted(self.sweeper, argv, workspace, env)
        if code == 0:
            return
        space = os.statvfs(WORKSPACE)
        if space.f_bavail * space.f_frsize < 64 * 1024 or space.f_ffree == 0:
            megabytes = space.f_blocks * space.f_frsize // (1024 * 1024)
            raise Refusal("io", f"The tree does not fit into the {megabytes} MB of /workspace.")
        raise Refusal("io", f"git {' '.join(args)} failed: {problem.strip()}")
