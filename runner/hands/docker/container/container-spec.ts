import type { ContainerCreateOptions, MountSettings } from "dockerode";
import type { HostPath, SessionId } from "../../../base/ids.js";
import type { SandboxSettings } from "../../../settings/settings.js";
import { containerPaths } from "../../ports/container-paths.js";
import type { Identity } from "../../ports/identity.js";
import type { ReadView, RoleView, SandboxRole } from "../../ports/sandbox.js";
import type { Dialect } from "../engine/engine-facts.js";
import type { ConstantFiles } from "./constant-files.js";
import { labels, repoVolumeOf } from "./labels.js";
import { seccompProfile } from "./seccomp.js";

/** The ingredients of a container; nothing else of the host reaches it. */
export interface SpecContext {
  readonly session: SessionId;
  /** JSON of the Owner */
  readonly owner: string;
  readonly imageId: string;
  readonly identity: Identity;
  readonly sandbox: SandboxSettings;
  readonly engineCpus: number;
  readonly dialect: Dialect;
  readonly constants: ConstantFiles;
  readonly leaseSeconds: number;
}

const shmBytes = 64 * 1024 * 1024;
const openFiles = 8192;
/** podman mounts writable ones here unless others are given */
const shut = "ro,noexec,nosuid,nodev,size=4096";
/** podman's default is a million, which a service with fewer may not grant; `PidsLimit` is the real bound */
const podmanProcesses = { Name: "nproc", Soft: 30_000, Hard: 30_000 };
/** half of the others' weight when cores are short: a container that uses them all leaves the brain its share */
const cpuShares = 512;

/** Programs of a project may talk to each other; no role has more of a network than that. */
const hasLoopback: ReadonlySet<SandboxRole> = new Set(["work", "check", "build"]);

/** The golden spec: everything that a container of tilth may and may not do stands here. */
export function containerSpec(view: RoleView, context: SpecContext): ContainerCreateOptions {
  const { identity, constants, session } = context;
  return {
    Image: context.imageId,
    Entrypoint: [containerPaths.python, "-I", "-S", containerPaths.resident],
    Cmd: ["--lease-seconds", String(context.leaseSeconds)],
    Hostname: "tilth",
    User: `${identity.uid}:${identity.gid}`,
    WorkingDir: "/",
    Env: [`PATH=${containerPaths.tools}:/usr/local/bin:/usr/bin:/bin`, `HOME=${containerPaths.home}`, "LANG=C.UTF-8"],
    Labels: { [labels.session]: session, [labels.role]: view.role, [labels.owner]: context.owner },
    // a user's own image may bring a health check, and the engine would run it beside the resident
    Healthcheck: { Test: ["NONE"] },
    // the resident ignores every other signal, and a stopping engine would wait ten seconds for it
    StopSignal: "SIGKILL",
    // spares the engine a network that nobody uses
    NetworkDisabled: !hasLoopback.has(view.role),
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    HostConfig: {
      ...limits(context),
      AutoRemove: true,
      NetworkMode: "none",
      ReadonlyRootfs: true,
      Privileged: false,
      Init: false,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges", `seccomp=${seccompAs(context)}`],
      IpcMode: "private",
      LogConfig: { Type: "none", Config: {} },
      Tmpfs: tmpfs(view.role, context),
      Mounts: [...mounts(view, context), bind(constants.passwd, "/etc/passwd"), bind(constants.group, "/etc/group")],
      ...(context.sandbox.runtime === null ? {} : { Runtime: context.sandbox.runtime }),
    },
  };
}

/** podman takes the name of a file, which it reads on its own machine */
function seccompAs({ dialect, constants }: SpecContext): string {
  return dialect === "podman" ? constants.seccomp : seccompProfile;
}

function limits({ sandbox, engineCpus, dialect }: SpecContext): NonNullable<ContainerCreateOptions["HostConfig"]> {
  const cpus = Math.min(sandbox.cpus ?? 2, engineCpus);
  return {
    Memory: sandbox.memoryBytes,
    MemorySwap: sandbox.memoryBytes,
    NanoCpus: Math.round(cpus * 1e9),
    CpuShares: cpuShares,
    PidsLimit: sandbox.pids,
    ShmSize: Math.min(shmBytes, Math.floor(sandbox.memoryBytes / 8)),
    Ulimits: [
      { Name: "core", Soft: 0, Hard: 0 },
      { Name: "fsize", Soft: sandbox.diskBytes, Hard: sandbox.diskBytes },
      { Name: "nofile", Soft: openFiles, Hard: openFiles },
      ...(dialect === "podman" ? [podmanProcesses] : []),
    ],
  };
}

/**
 * Limits for containers that build or inspect an image: podman's defaults exceed what a service with fewer may grant.
 */
export function imageUlimits(dialect: Dialect): readonly (typeof podmanProcesses)[] {
  return dialect === "podman" ? [{ Name: "nofile", Soft: openFiles, Hard: openFiles }, podmanProcesses] : [];
}

/** These live in memory and count against its limit, so together they never take all of it. */
function tmpfs(role: SandboxRole, { sandbox, dialect, identity }: SpecContext): Record<string, string> {
  const owned = dialect === "podman" ? "U" : `uid=${identity.uid},gid=${identity.gid}`;
  const options = (share: number, mode: string) =>
    `rw,exec,nosuid,nodev,size=${Math.floor(sandbox.memoryBytes * share)},${owned},mode=${mode}`;
  const share = role === "check" ? 1 / 8 : 1 / 4;
  return {
    "/tmp": options(share, "1777"),
    [containerPaths.home]: options(share, "0700"),
    ...(role === "check" ? { [containerPaths.workspace]: options(1 / 2, "0755") } : {}),
    ...(dialect === "podman" ? { "/run": shut, "/var/tmp": shut } : {}),
  };
}

function mounts(view: RoleView, { session, constants }: SpecContext): MountSettings[] {
  const { workspace } = containerPaths;
  switch (view.role) {
    case "work":
      return [...worktree(view.worktree, constants), repoVolume(session), ...environment(view.environment)];
    case "clerk":
      return [...worktree(view.worktree, constants), repoVolume(session, "writable")];
    case "check":
      return [repoVolume(session), ...environment(view.environment)];
    case "build":
      return [volume(view.environment, containerPaths.environment, "writable")];
    case "read":
      return [bind(view.source, workspace), ...hiddenGit(view, constants)];
  }
}

function worktree(folder: HostPath, { gitfile }: ConstantFiles): MountSettings[] {
  const { workspace } = containerPaths;
  return [bind(folder, workspace, "writable"), bind(gitfile, `${workspace}/.git`)];
}

function environment(name: string | null = null): MountSettings[] {
  return name === null ? [] : [volume(name, containerPaths.environment)];
}

function hiddenGit({ gitIs, gitFolders = [] }: ReadView, { nothing, gitfile }: ConstantFiles): MountSettings[] {
  const git = `${containerPaths.workspace}/.git`;
  const others = gitFolders.map((folder) => bind(nothing, `${containerPaths.workspace}/${folder}`));
  return gitIs === "link" ? others : [bind(gitIs === "folder" ? nothing : gitfile, git), ...others];
}

type Access = "writable" | "read-only";

/** Leaves out mounts below the source: the engine would leave them writable inside a read-only one. */
function bind(source: HostPath, target: string, access: Access = "read-only"): MountSettings {
  const BindOptions = { Propagation: "rprivate" as const, NonRecursive: true };
  return { Type: "bind", Source: source, Target: target, ReadOnly: access === "read-only", BindOptions };
}

function repoVolume(session: SessionId, access: Access = "read-only"): MountSettings {
  return volume(repoVolumeOf(session), containerPaths.repo, access);
}

function volume(name: string, target: string, access: Access = "read-only"): MountSettings {
  return { Type: "volume", Source: name, Target: target, ReadOnly: access === "read-only" };
}
