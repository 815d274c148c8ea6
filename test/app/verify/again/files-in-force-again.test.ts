import { expect, test } from "vitest";
import { holdFilesInForce } from "../../../../runner/app/verify/again/files-in-force-again.js";
import { Findings } from "../../../../runner/app/verify/log/findings.js";
import type { LoggedEvent } from "../../../../runner/app/verify/log/recorded-log.js";

type Files = Readonly<Record<string, string>>;

const logged = { type: "environment", line: 7, payload: {} } as unknown as LoggedEvent<"environment">;
const environment = (files: Files | null) => ({
  ...{ key: "k", tree: null },
  files: files && new Map(Object.entries(files)),
});

async function differences(inForce: Files | null, own: Files | null, tree: Files, taskText: string) {
  const findings = new Findings();
  const tried = { before: environment(inForce), own: environment(own), logged };
  await holdFilesInForce(tried, { taskText, tree: async () => new Map(Object.entries(tree)), named: null, findings });
  return findings.differs.map(({ what, expected, seen }) => [what, expected, seen]);
}

const base = { "requirements.txt": "old", "requirements-dev.txt": "dev", "more.in": "more" };
const task = "requirements.txt asks for another";

test("a file that the task names is in force as its tree has it, and the others are as they were", async () => {
  const tree = { ...base, "requirements.txt": "new", "requirements-dev.txt": "laundered", "extra.in": "extra" };
  const honest = { ...base, "requirements.txt": "new", "extra.in": "extra" };
  expect(await differences(base, honest, tree, task)).toEqual([]);
  const { "more.in": _, ...without } = honest;
  expect(await differences(base, without, tree, task)).toEqual([]);
  const { "requirements.txt": __, ...removed } = base;
  expect(await differences(base, removed, removed, task)).toEqual([]);
});

test("a recorded file that no task could bring into force is a difference, whether its tree has it or not", async () => {
  const tree = { ...base, "requirements.txt": "new", "requirements-dev.txt": "laundered", "uv.lock": "added" };
  const { "requirements-dev.txt": _, ...without } = base;
  const of = (own: Files) => differences(base, own, tree, task);
  expect([
    await of({ ...base, "requirements.txt": "new", "requirements-dev.txt": "laundered" }),
    await of({ ...base, "requirements.txt": "forged" }),
    await of({ ...without, "requirements.txt": "new" }),
    await of({ ...base, "requirements.txt": "new", "uv.lock": "added" }),
  ]).toEqual([
    [["requirements-dev.txt as it is in force", "dev", "laundered"]],
    [["requirements.txt as it is in force", "new", "forged"]],
    [["requirements-dev.txt as it is in force", "dev", "nothing"]],
    [["uv.lock as it is in force", "nothing", "added"]],
  ]);
});

test("a log of an older version, which does not record the files in force, shows no difference", async () => {
  expect(await differences(null, base, {}, task)).toEqual([]);
  expect(await differences(base, null, {}, task)).toEqual([]);
});
