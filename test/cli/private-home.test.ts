import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { describeHome } from "../../runner/app/doctor/private-home.js";
import { scratch } from "../helpers/scratch.js";

/** A home that others may look into, as an earlier version or a person left it. */
function openHome(mode = 0o755, beside = ""): { home: string; userHome: string } {
  const userHome = scratch();
  const home = beside === "" ? scratch() : join(userHome, beside);
  mkdirSync(join(home, "sessions"), { recursive: true });
  writeFileSync(join(home, ".env"), "");
  chmodSync(home, mode);
  return { home, userHome };
}

const modeOf = (path: string) => statSync(path).mode & 0o7777;
const opened = ({ home, userHome }: { home: string; userHome: string }) =>
  loadSettings({ HOME: userHome, TILTH_HOME: home, PATH: "/usr/bin" });

test.each([0o755, 0o750, 0o711, 0o777])("a home of mode %o is made private when it is opened", (mode) => {
  const at = openHome(mode);
  expect(() => describeHome(at.home)).toThrow("is open to other users");
  opened(at);
  expect(modeOf(at.home)).toBe(0o700);
  expect(describeHome(at.home)).toContain("open to nobody else");
});

test("a folder that has other uses too is left as it is, and doctor says what to do", () => {
  const everybodys = openHome(0o1777);
  const empty = { home: scratch(), userHome: scratch() };
  chmodSync(empty.home, 0o755);
  const around = openHome();
  for (const at of [everybodys, empty, { home: around.home, userHome: join(around.home, "sessions") }]) {
    const before = modeOf(at.home);
    opened(at);
    expect(modeOf(at.home)).toBe(before);
    expect(() => describeHome(at.home)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("chmod 700") }),
    );
  }
});

test("a private home, and one that does not exist yet, are left alone and reported as fine", () => {
  const at = openHome(0o700);
  opened(at);
  expect(modeOf(at.home)).toBe(0o700);
  expect(describeHome(join(at.home, "none"))).toContain("is made when it is first needed");
});
