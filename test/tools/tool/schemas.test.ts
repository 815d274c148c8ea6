import { describe, expect, it } from "vitest";
import { interviewTools, workerTools } from "../../../runner/tools/roles.js";
import { submitVerdict } from "../../../runner/tools/submit-verdict.js";

const definitions = [...workerTools().definitions, ...interviewTools().definitions, submitVerdict.definition];

function typesIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [...(name === "type" ? [part] : []), ...typesIn(part)]);
}

describe("a tool's schema", () => {
  it.each(definitions.map(({ name, parameters }) => [name, parameters] as const))(
    "of %s has one type in each place, because Google, Ollama and Gemma accept no list",
    (_, parameters) => {
      expect(typesIn(parameters).filter((type) => typeof type !== "string" && !isProperty(type))).toEqual([]);
    },
  );

  it("says where a value can be of several types", () => {
    const { parameters } = definitions.find(({ name }) => name === "grep") ?? {};
    expect(parameters).toMatchObject({
      properties: { path_glob: { anyOf: [{ type: "string" }, { type: "null" }] } },
    });
  });
});

/** A tool may have a property of this name. */
function isProperty(type: unknown): boolean {
  return typeof type === "object" && !Array.isArray(type);
}
