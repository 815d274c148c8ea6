import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDemoPlace } from "../../runner/demo/demo-place.js";
import { git } from "../helpers/fake-git.js";

const host = {
  userHome: "/nowhere",
  path: process.env.PATH ?? "",
  xdgConfigHome: null,
  cacheDir: "/nowhere",
};

describe("the demo's place", () => {
  it("is a repository with one commit, nothing uncommitted and nothing of a person's", async () => {
    const { signal } = new AbortController();
    const place = await makeDemoPlace(host, signal);
    try {
      const status = await git(["status", "--porcelain", "--ignored"], { cwd: place.source });
      expect(String(status)).toBe("");
      expect(String(await git(["log", "--format=%an %s", "main"], { cwd: place.source }))).toBe(
        "tilth demo A todo list, to be\n",
      );
      expect(await place.log("main", signal)).toMatch(/^[0-9a-f]{7,} A todo list, to be\n$/);
      expect(String(await git(["config", "--local", "--list"], { cwd: place.source }))).not.toContain("worktree");
      expect(place.folder.startsWith(join(tmpdir(), "tilth-demo-"))).toBe(true);
    } finally {
      await rm(place.folder, { recursive: true });
    }
  });
});
