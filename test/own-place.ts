import { mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { freemem, homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/*
 * Every test file starts in a home and a folder for its files of its own, without the git configuration and the tilth settings of
 * whoever runs it. The engine, the package registries and the base image stay those of the machine.
 */
const before = { ...process.env };
const person = homedir();
process.env.DOCKER_CONFIG ??= join(person, ".docker");
process.env.NPM_CONFIG_USERCONFIG ??= join(person, ".npmrc");

for (const name of Object.keys(process.env))
  if (/^(GIT_|XDG_|TILTH_)/.test(name) && name !== "TILTH_BASE_IMAGE") delete process.env[name];
process.env.GIT_CONFIG_NOSYSTEM = "1";

const place = mkdtempSync(join(quickFolder() ?? tmpdir(), "tilth-test-"));
const home = join(place, "person");
mkdirSync(home);
process.env.HOME = home;
process.env.TMPDIR = place;
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  try {
    rmSync(place, { recursive: true, force: true });
  } catch {
    // an engine that removes a container meanwhile may still hold something in it
  }
});

/** A folder in memory, if there is plenty: tests commit and sync more than they compute. */
function quickFolder(): string | null {
  const [folder, tmpfs, gigabyte] = ["/dev/shm", 0x01021994, 1024 ** 3];
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    return type === tmpfs && Math.min(bavail * bsize, freemem()) > 4 * gigabyte ? folder : null;
  } catch {
    return null;
  }
}
