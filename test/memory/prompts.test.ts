import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Prompts, readPrompts, say } from "../../runner/base/prompts.js";
import { interviewTools, workerTools } from "../../runner/tools/roles.js";

const changed = (name: string, change: (text: string) => string) => {
  const texts = new Map(readPrompts());
  texts.set(name, change(texts.get(name) ?? ""));
  return () => new Prompts(texts);
};

describe("prompts", () => {
  it("insert values as they are, and once", () => {
    const values = { category: "$&", concern: "{{evidence}} {x}", evidence: "$1 %s $$", next_step: "{{concern}}" };
    const said = say("rejected", values);
    for (const value of Object.values(values)) expect(said).toContain(value);
    expect(said.split("$1 %s $$")).toHaveLength(2);
  });

  it.each([
    [
      "an unknown placeholder",
      changed("quiet", (text) => `${text} {{name}}`),
      "quiet has an unknown placeholder: name",
    ],
    ["a blank placeholder", changed("worker", (text) => `${text} {{}}`), "worker has an unknown placeholder"],
    ["a lost placeholder", changed("diff", () => "no text"), "diff lacks its placeholder: text"],
    ["an empty template", changed("no-work", () => ""), "no-work is missing"],
    ["a template nobody uses", changed("constructor", () => "x"), "nothing uses the prompt constructor"],
  ])("with %s are refused before anything runs", (_, build, problem) => {
    expect(build).toThrow(problem);
  });

  it("are read whole or by section from a folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "tilth-prompts-"));
    for (const name of ["worker", "evaluator", "self-improve", "interview", "trial"])
      writeFileSync(join(folder, `${name}.md`), `${name}\n## a\n`);
    writeFileSync(join(folder, "sections.md"), "preface\n\n## one\n\n1\n\n## two\n\n2\n");
    writeFileSync(join(folder, "feedback.md"), "preface\n\n## three\n\n3\n");
    expect([...readPrompts(folder)]).toEqual([
      ["worker", "worker\n## a"],
      ["evaluator", "evaluator\n## a"],
      ["self-improve", "self-improve\n## a"],
      ["interview", "interview\n## a"],
      ["trial", "trial\n## a"],
      ["one", "1"],
      ["two", "2"],
      ["three", "3"],
    ]);
    rmSync(folder, { recursive: true });
  });

  it("list no tools", () => {
    const theirEnds = ["submit_case", "ask_user", "write_seed"];
    const tools = [...workerTools().names, ...interviewTools().names].filter((name) => !theirEnds.includes(name));
    for (const [name, text] of readPrompts())
      for (const tool of tools) expect(text, `${name} names ${tool}`).not.toMatch(new RegExp(`\\b${tool}\\b(?!ing)`));
  });
});
