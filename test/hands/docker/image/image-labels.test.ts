import { expect, test } from "vitest";
import { imageLabels, toolsIn } from "../../../../runner/hands/docker/image/image-labels.js";

test.each([
  ['["python 3.11", "git 2.39"]', ["python 3.11", "git 2.39"]],
  ["", []],
  ["python, git", []],
  ['{"python": "3.11"}', []],
  ["[3]", []],
])("an image labelled with the tools %j names %j", (label, tools) => {
  expect(toolsIn({ [imageLabels.tools]: label })).toEqual(tools);
});

test("an image without that label names no tools", () => {
  expect(toolsIn({})).toEqual([]);
});
