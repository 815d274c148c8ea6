import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { renderWire } from "../../scripts/generate-wire.js";
import { scratch } from "../helpers/scratch.js";

const written = renderWire();

test.each(Object.keys(written))("%s is what the description says (npm run wire writes it)", (path) => {
  expect(readFileSync(path, "utf8")).toBe(written[path]);
});

/** One side uses another word than the other: `to` for `from`. */
interface Renaming {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** where the two meet */
  readonly checked: string;
}

type Renamings = Readonly<Record<string, Renaming>>;

function renaming(file: string, from: string, to: string, checked = file): Renaming {
  return { file, from, to, checked };
}

const work = "runner/hands/roles/work/work.ts";
const operations = "runner/hands/pipe/wire/operations.ts";
const ofBrain: Renamings = {
  none: renaming(work, "", ""),
  "description-reply": renaming(operations, "  timed_out: z", "  overdue: z", work),
  "description-argument": renaming(operations, "  disk_bytes: count", "  disk_limit: count", work),
  "brain-reply": renaming(work, "tail, timed_out, ...rest", "tail, overdue, ...rest"),
  "brain-argument": renaming(work, "  disk_bytes: ", "  disk_limit: "),
  "brain-request": renaming("runner/hands/roles/check/runs/red.ts", "input = { files: ", "input = { sources: "),
};

const wire = "resident/wire.py";
const shapes = "check/wire/shapes.py";
const actions = "check/actions.py";
const building = "environment/making/build.py";
const commands = "resident/commands.py";
const channel = "resident/channel.py";
const frames = "resident/frames.py";
const ofPrograms: Renamings = {
  none: renaming(commands, "", ""),
  "description-reply": renaming(wire, '"timed_out": bool', '"overdue": bool', commands),
  "description-argument": renaming(wire, '"disk_bytes": int', '"disk_limit": int', commands),
  "description-operation": renaming(wire, "    quiet: ", "    calm: ", "resident/operations.py"),
  "description-frame": renaming(wire, '"hello": Literal[16]', '"hello": Literal[20]', frames),
  "resident-reply": renaming(commands, '"timed_out": ', '"overdue": '),
  "resident-argument": renaming(commands, '"disk_bytes"', '"disk_limit"'),
  "resident-operation": renaming("resident/operations.py", '"quiet": self', '"calm": self'),
  "resident-frame": renaming(frames, "HELLO, RESULT, DATA, PONG = 16,", "HELLO, RESULT, DATA, PONG = 20,"),
  "resident-size": renaming(frames, "STREAM_WINDOW = 256", "STREAM_WINDOW = 128"),
  "resident-hello": renaming(channel, '"python": ', '"version": '),
  "resident-refusal": renaming(channel, '"message": ', '"sentence": '),
  "check-report": renaming("check/run/recorder.py", '"collect_errors": ', '"import_errors": '),
  "check-payload": renaming("check/suite/reach.py", 'payload["tree"]', 'payload["oid"]'),
  "check-request": renaming(actions, '"touched": reach', '"reached": reach'),
  "description-check": renaming(shapes, '"collect_errors": ', '"import_errors": ', "check/run/recorder.py"),
  "environment-answer": renaming(building, '"digest": digest', '"sum": digest'),
  "environment-order": renaming(building, 'order["lock"]', 'order["locked"]'),
  "description-environment": renaming("environment/wire.py", '"digest": ', '"sum": ', building),
};

/** Copies a folder for each of them, with that one word changed, and returns the files in which to look for errors. */
function copies(renamings: Renamings, source: string, below: string) {
  const folder = scratch();
  const include = Object.entries(renamings).map(([name, { file, from, to, checked }]) => {
    cpSync(source, join(folder, name, below), { recursive: true });
    const path = join(folder, name, file);
    const before = readFileSync(path, "utf8");
    expect(before).toContain(from);
    writeFileSync(path, before.replaceAll(from, to));
    return `${name}/${checked}`;
  });
  return { folder, include };
}

/** Runs a type checker, and returns the copies of which it names a file with an error. */
async function refused(folder: string, checker: string, args: readonly string[]): Promise<ReadonlySet<string>> {
  const program = resolve("node_modules/.bin", checker);
  const output = await new Promise<string>((done) => {
    execFile(program, args, { cwd: folder, maxBuffer: 64 * 1024 ** 2 }, (_, said) => done(said));
  });
  const lines = output.split("\n").filter((line) => / error\b/.test(line));
  const names = lines.map((line) => /([\w-]+)\/(?:runner|resident|check|environment)\//.exec(line)?.[1] ?? line);
  return new Set(names);
}

test("a word that the description or the brain alone changes fails the brain's type check", async () => {
  const { folder, include } = copies(ofBrain, "runner", "runner");
  const { compilerOptions } = JSON.parse(readFileSync("tsconfig.json", "utf8"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const { none: _, ...wrong } = ofBrain;
  expect(await refused(folder, "tsc", ["-p", "."])).toEqual(new Set(Object.keys(wrong)));
});

test("a word that the description or a program alone changes fails the program's type check", async () => {
  const { folder, include } = copies(ofPrograms, "images/hands", ".");
  const settings = JSON.parse(readFileSync("pyrightconfig.json", "utf8"));
  const stubPath = resolve("test/typings");
  const executionEnvironments = Object.keys(ofPrograms).map((root) => ({ root }));
  writeFileSync(
    join(folder, "pyrightconfig.json"),
    JSON.stringify({ ...settings, stubPath, include, executionEnvironments }),
  );
  const { none: _, ...wrong } = ofPrograms;
  expect(await refused(folder, "pyright", ["--pythonpath", "none"])).toEqual(new Set(Object.keys(wrong)));
});

test("the brain asks a container for nothing but by the description", () => {
  const files = readdirSync("runner", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const calling = (source: string) => /\b(?:sandbox|container|channel)\s*\.call\(/.test(source);
  const found = files.filter((name) => calling(readFileSync(join("runner", name), "utf8")));
  expect(found.toSorted()).toEqual(["hands/pipe/perform.ts", "hands/pipe/piped-sandbox.ts"]);
  expect(calling('await check.container.call("fresh", { tree }, options)')).toBe(true);
});
