"""The operation `self_test`: everything that can be seen from inside of how the container is isolated."""

from __future__ import annotations

import ctypes
import os
import resource

from resident.calls import Call

PR_GET_NO_NEW_PRIVS = 39

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resident.wire import Capabilities, Mount, SelfTestArgs, SelfTestReply

libc = ctypes.CDLL(None)


def kernel_lines(path: str) -> list[str]:
    """Lines as the kernel ends them: the other characters that Python takes for an end of line may be part of a path."""
    with open(path, encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def mount(line: str) -> Mount:
    fields = line.partition(" - ")[0].split(" ")
    return {"dest": fields[4], "options": fields[5].split(",")}


def reaches_others() -> bool:
    """Whether a process can set the limits of one that it names. Process 1 names itself here, and sets what it has."""
    try:
        resource.prlimit(os.getpid(), resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE))
    except PermissionError:
        return False
    return True


def interfaces() -> list[str]:
    """As the kernel lists them for this process, and for the /sys it was given, where that can be listed (not in gVisor)."""
    own = {line.partition(":")[0].strip() for line in kernel_lines("/proc/self/net/dev")[2:]}
    try:
        return sorted(own.union(os.listdir("/sys/class/net")))
    except OSError:
        return sorted(own)


def namespaces() -> dict[str, str]:
    """Names this container's namespaces, to be told apart from the host's where both are of one kernel."""
    try:
        named = {"boot": "".join(kernel_lines("/proc/sys/kernel/random/boot_id"))}
        return {**named, **{kind: os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "ipc", "pid", "uts")}}
    except OSError:
        return {}  # gVisor's kernel has none to name


def readonly_root(mounts: list[Mount]) -> bool:
    """By the root itself; gVisor's statvfs has no flags, its table of mounts has them."""
    if os.statvfs("/").f_flag & os.ST_RDONLY:
        return True
    return any(each["dest"] == "/" and "ro" in each["options"] for each in mounts)


def reachable(probe: list[str]) -> list[str]:
    """Paths that a container of ours must not have, and has."""
    wanted = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"]
    wanted += ["/root/.ssh", "/prd.json", "/checkpoint.json", "/events.jsonl", "/sessions", "/host", "/dev/kmsg"]
    found = [path for path in [*wanted, *probe] if os.access(path, os.R_OK)]
    kernel = ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern")
    return found + [path for path in kernel if os.access(path, os.W_OK)]


def capabilities(status: dict[str, str]) -> Capabilities:
    # a kernel that lists no ambient set (gVisor's) gives no more of it than is permitted
    permitted = status["CapPrm"]
    names = ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb")
    eff, prm, inh, bnd, amb = [status.get(name, permitted).strip() for name in names]
    return {"eff": eff, "prm": prm, "inh": inh, "bnd": bnd, "amb": amb}


async def self_test(_: Call, args: SelfTestArgs) -> SelfTestReply:
    status = dict(line.split(":\t", 1) for line in kernel_lines("/proc/self/status") if ":\t" in line)
    mounts = [mount(line) for line in kernel_lines("/proc/self/mountinfo")]
    return {
        "uid": os.getuid(),
        "gid": os.getgid(),
        "caps": capabilities(status),
        "no_new_privs": libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
        "seccomp": int(status["Seccomp"]),
        "others_limits": reaches_others(),
        "interfaces": interfaces(),
        "namespaces": namespaces(),
        "rootfs_readonly": readonly_root(mounts),
        "mounts": mounts,
        "env_names": sorted(os.environ),
        "readable_outside": reachable(args["probe"]),
    }
