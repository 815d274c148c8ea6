import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../../../runner/base/ids.js";
import { containerPaths } from "../../../runner/hands/ports/container-paths.js";
import type { ReadView, RoleView } from "../../../runner/hands/ports/sandbox.js";
import { type Places, repositoryOf } from "./places.js";

/** A path of the host, or memory, and where a sandbox sees it. */
export type Mount = readonly [mode: "rw" | "ro", source: string, target: string];

const { workspace, repo, home } = containerPaths;
const dotGit = `${workspace}/.git`;
const everywhere: readonly Mount[] = [
  ["rw", "memory", "/tmp"],
  ["rw", "memory", "/dev/shm"],
  ["rw", "memory", home],
];

export function mountsFor(view: RoleView, places: Places, session: SessionId): readonly Mount[] {
  return [...everywhere, ...ofRole(view, places, repositoryOf(places, session))];
}

function ofRole(view: RoleView, places: Places, repository: string): readonly Mount[] {
  switch (view.role) {
    case "work":
      return [...worktree(view.worktree, places), ["ro", repository, repo], ...environment(view.environment, places)];
    case "clerk":
      return [...worktree(view.worktree, places), ["rw", repository, repo]];
    case "check":
      return [["rw", "memory", workspace], ["ro", repository, repo], ...environment(view.environment, places)];
    case "build":
      return [["rw", join(places.environments, view.environment), containerPaths.environment]];
    case "read":
      return [["ro", view.source, workspace], ...hiddenGit(view, places)];
  }
}

function worktree(folder: string, places: Places): readonly Mount[] {
  if (!existsSync(join(folder, ".git"))) writeFileSync(join(folder, ".git"), "");
  return [
    ["rw", folder, workspace],
    ["ro", gitfile(places), dotGit],
  ];
}

function environment(id: string | null | undefined, { environments }: Places): readonly Mount[] {
  return id ? [["ro", join(environments, id), containerPaths.environment]] : [];
}

function hiddenGit({ gitIs, gitFolders = [] }: ReadView, places: Places): readonly Mount[] {
  const nothing = join(folderOf(places), "nothing");
  mkdirSync(nothing, { recursive: true });
  const others = gitFolders.map((folder): Mount => ["ro", nothing, `${workspace}/${folder}`]);
  return gitIs === "link" ? others : [["ro", gitIs === "folder" ? nothing : gitfile(places), dotGit], ...others];
}

function gitfile(places: Places): string {
  const path = join(folderOf(places), "gitfile");
  if (!existsSync(path)) writeFileSync(path, `gitdir: ${containerPaths.scratchGit}\n`);
  return path;
}

function folderOf({ home: ofBrain }: Places): string {
  const folder = join(ofBrain, "host-hands");
  mkdirSync(folder, { recursive: true });
  return folder;
}
