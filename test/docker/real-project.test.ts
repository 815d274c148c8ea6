import { expect, test } from "vitest";
import { indexTrouble } from "../real-projects/archive.js";
import { projects } from "../real-projects/projects.js";
import { run } from "../real-projects/run.js";

const project = projects.find(({ name }) => name === "jaraco.functools");

test("a published project goes from its archive to a commit, and its own tests end as in a virtual environment", async ({
  skip,
}) => {
  if (!project) throw new Error("the project is gone from the list");
  const trouble = await indexTrouble(project);
  if (trouble !== null) return skip(`no package index: ${trouble}`);
  const found = await run(project);
  expect(found.wrong.join("\n")).toBe("");
  expect(found).toMatchObject({ tilth: found.plain, taken: expect.arrayContaining(["pyproject.toml [project]"]) });
});
