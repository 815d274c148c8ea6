import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../runner/base/package-folder.js";
import { projects, type RealProject } from "./projects.js";
import { type ProjectReport, run } from "./run.js";
import { tableOf } from "./table.js";

// npm run real-projects [-- NAME …]: the named ones, or all; docs/real-projects.md is written when all were run

const names = process.argv.slice(2);
const unknown = names.find((name) => !projects.some((project) => project.name === name));
if (unknown !== undefined) throw new Error(`there is no project ${unknown}`);
const found: ProjectReport[] = [];
let whole = true;
for (const project of projects.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const lines = await tried(project);
  for (const line of lines) process.stdout.write(`${line}\n`);
}
if (whole && names.length === 0) writeFileSync(join(packageFolder, "docs", "real-projects.md"), tableOf(found));
process.exit(whole ? 0 : 1);

async function tried(project: RealProject): Promise<readonly string[]> {
  try {
    const one = await run(project, 2);
    found.push(one);
    whole &&= one.wrong.length === 0;
    const seconds = one.seconds.map((each) => `${each.toFixed(1)} s`).join(", then ");
    const seed = `${one.packages} packages from ${one.taken.join(", ")} in ${seconds}`;
    const tests = `tilth: ${one.tilth}; virtual environment: ${one.plain}`;
    const held = `${one.held.said}; the slip was caught by ${one.held.caughtBy.length}: ${one.held.caughtBy[0] ?? "none"}`;
    return [`${project.name} ${project.version}: ${seed}; ${tests}`, held, ...one.said, ...one.wrong];
  } catch (error) {
    whole = false;
    return [`${project.name} ${project.version}: ${error instanceof Error ? error.stack : String(error)}`];
  }
}
