import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/*
 * Every test file starts in a home of its own, without the git configuration and the tilth settings of whoever runs it.
 * The engine, the package registries and the base image stay those of the machine.
 */
const person = homedir();
process.env.DOCKER_CONFIG ??= join(person, ".docker");
process.env.NPM_CONFIG_USERCONFIG ??= join(person, ".npmrc");

for (const name of Object.keys(process.env))
  if (/^(GIT_|XDG_|TILTH_)/.test(name) && name !== "TILTH_BASE_IMAGE") delete process.env[name];
process.env.GIT_CONFIG_NOSYSTEM = "1";

const home = mkdtempSync(join(tmpdir(), "tilth-person-"));
process.env.HOME = home;
afterAll(() => rmSync(home, { recursive: true, force: true }));
