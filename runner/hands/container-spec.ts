import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContainerCreateOptions, MountSettings } from "dockerode";
import type { Sandbox } from "../settings.js";
import type { HostPath, SessionId } from "../support/ids.js";
import { packageFolder } from "../support/package-folder.js";
import type { ConstantFiles } from "./constant-files.js";
import { containerPaths } from "./container-paths.js";
import type { Identity } from "./identity.js";
import { labels, repoVolumeOf } from "./labels.js";

export type ContainerRole = "work" | "clerk" | "check" | "read";

/** What a container of a role is made from; nothing else of the host reaches it. */
export interface SpecContext {
  readonly session: SessionId;
  /** JSON of the Owner */
  readonly owner: string;
  readonly imageId: string;
  readonly identity: Identity;
  readonly sandbox: Sandbox;
  readonly engineCpus: number;
  readonly constants: ConstantFiles;
  readonly leaseSeconds: number;
}

/** What of the host a role sees: the worktree, the source, or nothing. */
export type RoleView =
  | { readonly role: "work" | "clerk"; readonly worktree: HostPath }
  | { readonly role: "check" }
  | { readonly role: "read"; readonly source: HostPath; readonly gitIs: "folder" | "file" };

const seccomp = JSON.stringify(JSON.parse(readFileSync(join(packageFolder, "images/hands/seccomp.json"), "utf8")));
const shmBytes = 64 * 1024 * 1024;
const openFiles = 8192;

/** The golden spec of DESIGN §2: whatever a container of tilth may and may not do stands here. */
export function containerSpec(view: RoleView, context: SpecContext): ContainerCreateOptions {
  const { identity, constants, session } = context;
  return {
    Image: context.imageId,
    Entrypoint: [containerPaths.python, "-I", "-S", containerPaths.runner],
    Cmd: ["--lease-seconds", String(context.leaseSeconds)],
    Hostname: "tilth",
    User: `${identity.uid}:${identity.gid}`,
    WorkingDir: "/",
    Env: [`PATH=${containerPaths.tools}:/usr/local/bin:/usr/bin:/bin`, `HOME=${containerPaths.home}`, "LANG=C.UTF-8"],
    Labels: { [labels.session]: session, [labels.role]: view.role, [labels.owner]: context.owner },
    // an image of the user's own may bring one, and the engine would run it beside the runner
    Healthcheck: { Test: ["NONE"] },
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
      SecurityOpt: ["no-new-privileges", `seccomp=${seccomp}`],
      IpcMode: "private",
      LogConfig: { Type: "none", Config: {} },
      Tmpfs: tmpfs(view.role, context),
      Mounts: [...mounts(view, context), bind(constants.passwd, "/etc/passwd"), bind(constants.group, "/etc/group")],
      ...(context.sandbox.runtime === null ? {} : { Runtime: context.sandbox.runtime }),
    },
  };
}

function limits({ sandbox, engineCpus }: SpecContext): NonNullable<ContainerCreateOptions["HostConfig"]> {
  const cpus = Math.min(sandbox.cpus ?? 2, engineCpus);
  return {
    Memory: sandbox.memoryBytes,
    MemorySwap: sandbox.memoryBytes,
    NanoCpus: Math.round(cpus * 1e9),
    PidsLimit: sandbox.pids,
    ShmSize: Math.min(shmBytes, Math.floor(sandbox.memoryBytes / 8)),
    Ulimits: [
      { Name: "core", Soft: 0, Hard: 0 },
      { Name: "fsize", Soft: sandbox.diskBytes, Hard: sandbox.diskBytes },
      { Name: "nofile", Soft: openFiles, Hard: openFiles },
    ],
  };
}

/** In memory, which the limit counts: together never all of it. */
function tmpfs(role: ContainerRole, { sandbox, identity: { uid, gid } }: SpecContext): Record<string, string> {
  const options = (share: number, mode: string) =>
    `rw,exec,nosuid,nodev,size=${Math.floor(sandbox.memoryBytes * share)},uid=${uid},gid=${gid},mode=${mode}`;
  const share = role === "check" ? 1 / 8 : 1 / 4;
  return {
    "/tmp": options(share, "1777"),
    [containerPaths.home]: options(share, "0700"),
    ...(role === "check" ? { [containerPaths.workspace]: options(1 / 2, "0755") } : {}),
  };
}

function mounts(view: RoleView, { session, constants }: SpecContext): MountSettings[] {
  const { workspace } = containerPaths;
  switch (view.role) {
    case "work":
    case "clerk":
      return [
        bind(view.worktree, workspace, "writable"),
        bind(constants.gitfile, `${workspace}/.git`),
        repoVolume(session, view.role === "clerk" ? "writable" : "read-only"),
      ];
    case "check":
      return [repoVolume(session, "read-only")];
    case "read":
      return [
        bind(view.source, workspace),
        bind(view.gitIs === "folder" ? constants.nothing : constants.gitfile, `${workspace}/.git`),
      ];
  }
}

type Access = "writable" | "read-only";

function bind(source: HostPath, target: string, access: Access = "read-only"): MountSettings {
  return { Type: "bind", Source: source, Target: target, ReadOnly: access === "read-only" };
}

function repoVolume(session: SessionId, access: Access): MountSettings {
  const source = repoVolumeOf(session);
  return { Type: "volume", Source: source, Target: containerPaths.repo, ReadOnly: access === "read-only" };
}
