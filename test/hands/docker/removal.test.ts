import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSettings } from "../../../cli/settings/settings.js";
import { removeAndSeeGone } from "../../../runner/hands/docker/container/container.js";
import { Engine } from "../../../runner/hands/docker/engine/engine.js";

const { signal } = new AbortController();
const info = { ID: "x", NCPU: 2, OSType: "linux", DefaultRuntime: "runc", Runtimes: { runc: {} } };
const limits = {
  SecurityOptions: ["name=seccomp"],
  MemoryLimit: true,
  SwapLimit: true,
  PidsLimit: true,
  CpuCfsQuota: true,
};

/** An engine that answers a removal as told, and lists the container until `listings` are used up. */
async function removing(removals: readonly number[], listings: number) {
  const folder = mkdtempSync(join(tmpdir(), "tilth-removal-"));
  const asked: string[] = [];
  const removed = () => asked.filter((method) => method === "DELETE").length;
  const server = createServer(({ method = "", url }, answer) => {
    if (url?.startsWith("/info")) return void answer.end(JSON.stringify({ ...info, ...limits, ServerVersion: "20" }));
    asked.push(method);
    if (method === "DELETE") return void answer.writeHead(removals[removed() - 1] ?? removals.at(-1) ?? 204).end("{}");
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify(asked.length - removed() > listings ? [] : [{ Id: "x" }]));
  });
  await new Promise<void>((resolve) => server.listen(join(folder, "s"), resolve));
  const engine = await Engine.connect(
    { ...loadSettings(), providerEnvironment: { DOCKER_HOST: `unix://${folder}/s` } },
    signal,
  );
  try {
    await removeAndSeeGone(engine, "x", 0);
    return { removed: removed(), listed: asked.length - removed() };
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a container is gone when it is no longer listed, whatever the engine answered to its removal", async () => {
  expect(await removing([404], 20)).toEqual({ removed: 1, listed: 21 });
  expect(await removing([409], 20)).toEqual({ removed: 1, listed: 21 });
  expect(await removing([204], 20)).toEqual({ removed: 1, listed: 21 });
});

test("an entry that an engine goes on listing, but knows nothing of when asked, counts as gone", async () => {
  expect((await removing([404], 1e6)).removed).toBe(5);
  // a container of which something is still to be removed is waited for
  expect((await removing([404, 404, 409, 404, 404, 404, 404, 404], 1e6)).removed).toBe(8);
});
