import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../runner/support/package-folder.js";
import { projects } from "./projects.js";
import { type Found, run } from "./run.js";
import { tableOf } from "./table.js";

// npm run real-projects [-- NAME …]: the named ones, or all; docs/real-projects.md is written when all were run

const names = process.argv.slice(2);
const unknown = names.find((name) => !projects.some((project) => project.name === name));
if (unknown !== undefined) throw new Error(`there is no project ${unknown}`);
const found: Found[] = [];
for (const project of projects.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const one = await run(project);
  found.push(one);
  const { first, again } = one.seconds;
  process.stdout.write(
    `${project.name} ${project.version}: ${one.packages} packages from ${one.taken.join(", ")};` +
      ` seed ${first.toFixed(1)} s, then ${again.toFixed(1)} s; tilth: ${one.tilth}; plain: ${one.plain}\n`,
  );
  for (const line of [...one.said, ...one.wrong]) process.stdout.write(`  ${line}\n`);
}
const whole = found.every(({ wrong }) => wrong.length === 0);
if (whole && names.length === 0) writeFileSync(join(packageFolder, "docs", "real-projects.md"), tableOf(found));
process.exit(whole ? 0 : 1);
