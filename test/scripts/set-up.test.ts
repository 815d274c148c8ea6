import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFolder } from "../../runner/base/package-folder.js";
import { compiledTilth } from "../helpers/compiled.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tilth-set-up-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function setUp(environment: Record<string, string>, cwd = packageFolder) {
  const env = { PATH: process.env.PATH ?? "", HOME: folder, ...environment };
  const { status, stderr } = spawnSync(process.execPath, ["scripts/setup.js"], { cwd, env, encoding: "utf8" });
  return { status, stderr };
}

function scripted(program: string) {
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: packageFolder,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
}

test("a silent engine that DOCKER_HOST names is not started, and gives one sentence and one command", () => {
  const { status, stderr } = setUp({ DOCKER_HOST: `unix://${folder}/nothing.sock` });
  expect(status).toBe(2);
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringContaining("no container engine answers"),
    expect.stringContaining("→"),
  ]);
});

test("an engine that answers is only asked whether it is there, and nothing is installed or said", async () => {
  const socket = join(folder, "engine.sock");
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split("?")[0]}`);
    response.end(request.url?.startsWith("/images") ? '[{"Id":"sha256:1"}]' : "OK");
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  try {
    const program = `process.env.DOCKER_HOST = "unix://${socket}"; await import("./scripts/setup.js")`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: packageFolder });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    expect(said).toBe("");
    expect(asked.every((line) => line.startsWith("GET "))).toBe(true);
    expect(asked[0]).toBe("GET /_ping");
  } finally {
    server.close();
  }
});

test("a recorded process id is dropped when it is no engine's, and kept when it is", () => {
  const [foreign, dead, own, odd] = ["foreign", "dead", "own", "odd"].map((name) => join(folder, `${name}.pid`));
  const live = String(process.pid);
  for (const [file, text] of [
    [foreign, live],
    [dead, "4194305"],
    [own, live],
    [odd, "no number"],
  ] as const)
    writeFileSync(String(file), text);
  const name = spawnSync("cat", [`/proc/${live}/comm`], { encoding: "utf8" }).stdout.trim();
  scripted(`
    import { clearStalePid } from "./scripts/set-up/daemon.js";
    for (const file of ${JSON.stringify([foreign, dead, odd])}) clearStalePid(file, "dockerd");
    clearStalePid(${JSON.stringify(own)}, ${JSON.stringify(name)});
  `);
  expect([foreign, dead, own, odd].map((file) => existsSync(String(file)))).toEqual([false, false, true, false]);
});

test("packages are installed, and announced before, when node_modules lacks what the lock asks for", () => {
  const clone = join(folder, "clone");
  mkdirSync(join(clone, "node_modules"), { recursive: true });
  cpSync(join(packageFolder, "scripts"), join(clone, "scripts"), { recursive: true });
  const lock = (version: string) => ({
    packages: { "": {}, "node_modules/one": { version }, "node_modules/two": { version, optional: true } },
  });
  writeFileSync(join(clone, "package.json"), '{ "type": "module" }');
  writeFileSync(join(clone, "package-lock.json"), JSON.stringify(lock("2.0.0")));
  const npm = join(folder, "npm.js");
  writeFileSync(npm, `require("node:fs").writeFileSync("ran", process.argv.slice(2).join(" "))`);
  const env = { npm_execpath: npm, DOCKER_HOST: "unix:///nonexistent.sock" };
  const installed = join(clone, "node_modules", ".package-lock.json");

  writeFileSync(installed, JSON.stringify({ packages: { "node_modules/one": { version: "2.0.0" } } }));
  expect(setUp(env, clone).stderr).not.toContain("npm ci");
  expect(existsSync(join(clone, "ran"))).toBe(false);

  writeFileSync(installed, JSON.stringify(lock("1.0.0")));
  expect(setUp(env, clone).stderr).toContain("set-up: installing the npm packages");
  expect(existsSync(join(clone, "ran"))).toBe(true);
});

test("a Chromium is installed where that is possible, and otherwise one command is named", () => {
  const tools = join(folder, "tools");
  mkdirSync(tools);
  scripted(`
    import assert from "node:assert";
    import { writeFileSync } from "node:fs";
    import { ensureBrowser } from "./scripts/set-up/browser.js";
    const asked = [];
    const useless = { install: (names) => asked.push(...names) };
    const stops = (error) => /no Chromium/.test(error.message) && /chrom/.test(error.remedy);
    assert.throws(() => ensureBrowser(useless, ${JSON.stringify(tools)}, false), stops);
    assert.deepEqual(asked, []);
    assert.throws(() => ensureBrowser(useless, ${JSON.stringify(tools)}, true), stops);
    assert.deepEqual(asked, ["chromium"]);
    const apt = { install: ([name]) => writeFileSync(${JSON.stringify(tools)} + "/" + name, "") };
    ensureBrowser(apt, ${JSON.stringify(tools)}, true);
    ensureBrowser({}, ${JSON.stringify(tools)}, false);
  `);
});

test("the image is looked for with the settings of the environment", () => {
  const place = join(folder, "image");
  cpSync(join(packageFolder, "scripts"), join(place, "scripts"), { recursive: true });
  symlinkSync(dirname(dirname(compiledTilth())), join(place, "dist"));
  writeFileSync(join(place, "package.json"), JSON.stringify({ type: "module" }));
  const env = { PATH: process.env.PATH ?? "", HOME: folder, DOCKER_HOST: `unix://${folder}/nothing.sock` };
  const options = { cwd: place, env, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, ["scripts/ensure-image.js"], options);
  expect(status).toBe(2);
  expect(stderr).toContain(`${folder}/nothing.sock`);
});
