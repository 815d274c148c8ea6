import { spawnSync } from "node:child_process";

export const minutes = 60_000;
const pageTypes = "cli/page/browser/tsconfig.json";

/** The machine need not have a Python; where it has one, the packages in it must not count. */
const withoutPython = ["--pythonpath", "none"];

/** Stages that run before the tests. */
export const stages = [
  { name: "build", program: "npm", args: ["run", "--silent", "build"], limitMs: 3 * minutes },
  { name: "types", program: "node_modules/.bin/tsc", args: ["-p", "tsconfig.json", "--noEmit"], limitMs: 3 * minutes },
  { name: "page types", program: "node_modules/.bin/tsc", args: ["-p", pageTypes, "--noEmit"], limitMs: 3 * minutes },
  { name: "python types", program: "node_modules/.bin/pyright", args: withoutPython, limitMs: 3 * minutes },
  { name: "lint", program: "node_modules/.bin/biome", args: ["check", "."], limitMs: 2 * minutes },
  { name: "dead code", program: "node_modules/.bin/knip", args: [], limitMs: 3 * minutes },
  { name: "image", program: process.execPath, args: ["scripts/ensure-image.js"], limitMs: 10 * minutes },
];

export function runs({ name, program, args, limitMs }) {
  process.stdout.write(`— ${name}\n`);
  const { status, error } = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"], timeout: limitMs });
  if (error?.code === "ETIMEDOUT") process.stdout.write(`${name}: stopped after ${limitMs / minutes} minutes\n`);
  return status === 0;
}
