import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { engineAddress } from "../../../../runner/hands/docker/engine/engine-address.js";

let home: string;
let dockerConfigDir: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tilth-docker-"));
  dockerConfigDir = join(home, ".docker");
  mkdirSync(dockerConfigDir);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function addressOf(named: Readonly<Record<string, string>>) {
  const host = { userHome: home, path: "", xdgConfigHome: null, cacheDir: home };
  return engineAddress({ providerEnvironment: named, host });
}

function describeContext(name: string, endpoint: string): void {
  const folder = join(dockerConfigDir, "contexts", "meta", createHash("sha256").update(name).digest("hex"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "meta.json"), JSON.stringify({ Name: name, Endpoints: { docker: { Host: endpoint } } }));
}

test("an explicit address wins over the current context", () => {
  describeContext("colima", "unix:///colima.sock");
  writeFileSync(join(dockerConfigDir, "config.json"), JSON.stringify({ currentContext: "colima" }));
  expect(addressOf({ DOCKER_HOST: "unix:///mine.sock" })).toEqual({ kind: "socket", path: "/mine.sock" });
  expect(addressOf({ DOCKER_HOST: "tcp://127.0.0.1:2375" })).toEqual({ kind: "http", host: "127.0.0.1", port: 2375 });
  expect(addressOf({})).toEqual({ kind: "socket", path: "/colima.sock" });
});

test("without a context the default socket is used", () => {
  expect(addressOf({})).toEqual({ kind: "socket", path: "/var/run/docker.sock" });
  writeFileSync(join(dockerConfigDir, "config.json"), "{ torn");
  expect(addressOf({})).toEqual({ kind: "socket", path: "/var/run/docker.sock" });
});

test("a context without a description and an address of another kind are refused in one sentence", () => {
  expect(() => addressOf({ DOCKER_CONTEXT: "gone" })).toThrow(/context "gone"/);
  expect(() => addressOf({ DOCKER_HOST: "ssh://ada:secret@host" })).toThrow(/cannot reach an engine at "ssh:\/\/host"/);
});
