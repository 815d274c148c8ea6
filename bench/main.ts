import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packageFolder } from "../runner/base/package-folder.js";
import { openBench } from "./bench.js";
import { isMet, type Line, type Reading } from "./line.js";
import { allIn } from "./lines/all-in.js";
import { commit } from "./lines/commit.js";
import { egress } from "./lines/egress.js";
import { environment } from "./lines/environment.js";
import { files } from "./lines/files.js";
import { firstRequest } from "./lines/first-request.js";
import { install } from "./lines/install.js";
import { memory } from "./lines/memory.js";
import { ownTests } from "./lines/own-tests.js";
import { page } from "./lines/page.js";
import { promptCache } from "./lines/prompt-cache.js";
import { search } from "./lines/search.js";
import { session } from "./lines/session.js";
import { sixteen } from "./lines/sixteen.js";
import { submit } from "./lines/submit.js";
import { toolCall } from "./lines/tool-call.js";
import { tree } from "./lines/tree.js";
import { tableOf } from "./table.js";

const lines: readonly Line[] = [
  toolCall,
  allIn,
  files,
  search,
  submit,
  ownTests,
  tree,
  commit,
  firstRequest,
  memory,
  egress,
  environment,
  install,
  page,
  promptCache,
  session,
  sixteen,
];

const { values: given } = parseArgs({
  options: { only: { type: "string", multiple: true }, quick: { type: "boolean" }, json: { type: "string" } },
});
const unknown = given.only?.filter((name) => !lines.some((line) => line.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`no line ${unknown.join(", ")}; there are ${lines.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort());

const readings = await measureAll();
console.log(`\n${tableOf(readings)}`);
// a run that measured only a part, or quickly, does not replace the record
const whole = given.only === undefined && !given.quick;
const place = given.json ?? (whole ? join(packageFolder, "bench", "results.json") : null);
if (place !== null) {
  writeFileSync(place, `${JSON.stringify(recordOf(readings), null, 2)}\n`);
  console.log(`\nwritten to ${place}`);
}

async function measureAll(): Promise<Reading[]> {
  await using bench = await openBench(given.quick ?? false, stopping.signal);
  const all: Reading[] = [];
  for (const line of lines.filter(({ name }) => given.only?.includes(name) ?? true)) {
    console.error(`measuring: ${line.name}`);
    const found = await line.measure(bench);
    console.error(tableOf(found));
    all.push(...found);
  }
  return all;
}

function recordOf(all: readonly Reading[]) {
  const [cpu] = cpus();
  return {
    node: process.version,
    cpu: cpu?.model ?? "unknown",
    cores: cpus().length,
    memory_mb: Math.round(totalmem() / 1024 ** 2),
    quick: given.quick ?? false,
    readings: all.map((reading) => ({ ...reading, met: isMet(reading) })),
  };
}
