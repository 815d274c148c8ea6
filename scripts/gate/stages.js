import { spawn, spawnSync } from "node:child_process";

export const minutes = 60_000;
const pageTypes = "cli/page/browser/tsconfig.json";

/** The machine need not have a Python; where it has one, the packages in it must not count. */
const withoutPython = ["--pythonpath", "none"];

const build = { name: "build", program: "npm", args: ["run", "--silent", "build"], limitMs: 3 * minutes };
const image = { name: "image", program: process.execPath, args: ["scripts/ensure-image.js"], limitMs: 10 * minutes };

/** Stages that change nothing and need nothing of each other. Those that keep one core busy longest come first. */
const looks = [
  { name: "python types", program: "node_modules/.bin/pyright", args: withoutPython, limitMs: 3 * minutes },
  { name: "dead code", program: "node_modules/.bin/knip", args: [], limitMs: 3 * minutes },
  { name: "types", program: "node_modules/.bin/tsc", args: ["-p", "tsconfig.json", "--noEmit"], limitMs: 3 * minutes },
  { name: "page types", program: "node_modules/.bin/tsc", args: ["-p", pageTypes, "--noEmit"], limitMs: 3 * minutes },
  { name: "lint", program: "node_modules/.bin/biome", args: ["check", "."], limitMs: 2 * minutes },
];
const atOnce = 2;

/** Runs the stages before the tests, and gives for each its name and whether it passed. */
export async function runStages() {
  const built = runs(build);
  const looked = [];
  const waiting = looks.map((stage, at) => async () => {
    looked[at] = { name: stage.name, ok: await runsAside(stage) };
  });
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await next();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return [{ name: build.name, ok: built }, ...looked, { name: image.name, ok: runs(image) }];
}

export function runs({ name, program, args, limitMs }) {
  process.stdout.write(`— ${name}\n`);
  const { status, error } = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"], timeout: limitMs });
  if (error?.code === "ETIMEDOUT") process.stdout.write(stopped(name, limitMs));
  return status === 0;
}

/** Shows what the stage says when it has ended, so that it stands together. */
function runsAside({ name, program, args, limitMs }) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => said.push(chunk));
  const limit = setTimeout(() => {
    said.push(Buffer.from(stopped(name, limitMs)));
    child.kill();
    // a program that it started may hold them
    for (const output of [child.stdout, child.stderr]) output.destroy();
  }, limitMs);
  child.once("error", ({ message }) => said.push(Buffer.from(`${name}: ${message}\n`)));
  return new Promise((resolve) => {
    child.once("close", (status) => {
      clearTimeout(limit);
      process.stdout.write(`— ${name}\n${Buffer.concat(said)}`);
      resolve(status === 0);
    });
  });
}

function stopped(name, limitMs) {
  return `${name}: stopped after ${limitMs / minutes} minutes\n`;
}
