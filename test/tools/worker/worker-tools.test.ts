import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HandsLost } from "../../../runner/hands/ports/hands.js";
import type { LintRequest, Work } from "../../../runner/hands/ports/work.js";
import { pinnedRules } from "../../../runner/hands/roles/ruff-rules.js";
import { workerTools } from "../../../runner/tools/roles.js";
import { settle } from "../../../runner/tools/tool/settle.js";
import { FakeWork } from "../../helpers/fake-work.js";
import { RecordedEvents, span } from "../../helpers/recorded-events.js";

const registry = workerTools();
const rules = { ...pinnedRules, args: ["--select=F"] };
let root: string;
let work: LintingWork;
let events: RecordedEvents;

/** The fake worker's tools, with a linter that knows one rule. */
class LintingWork extends FakeWork {
  readonly asked: (LintRequest | null)[] = [];

  override async writeFile(request: Parameters<Work["writeFile"]>[0]) {
    this.asked.push(request.lint);
    const written = await super.writeFile(request);
    const dirty = Buffer.from(request.content).toString().includes("import os");
    return written.ok && written.lint !== null ? { ...written, lint: dirty ? "F401 unused import\n" : "" } : written;
  }
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tilth-tools-"));
  work = new LintingWork(root, "", "");
  events = new RecordedEvents();
});
afterEach(() => rm(root, { recursive: true, force: true }));

function run(name: string, args: unknown, hands: Work = work): Promise<string> {
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  const context = {
    work: hands,
    events,
    span,
    toolTimeoutMs: 10_000,
    ruffRules: async () => rules,
    signal: new AbortController().signal,
  };
  return settle(call, registry, context);
}

describe("file tools", () => {
  it("write, edit and read bytes as they are", async () => {
    await run("write_file", { path: "a/b.txt", content: "x\r\nOLD\nü" });
    await run("edit_file", { path: "a/b.txt", old_string: "OLD", new_string: "$$ $& $1" });
    expect(await readFile(join(root, "a/b.txt"), "utf8")).toBe("x\r\n$$ $& $1\nü");
    expect(await run("read_file", { path: "a/b.txt" })).toBe("x\r\n$$ $& $1\nü");
  });

  it.each([
    ["read_file", { path: " \n" }, "path: must not be blank"],
    ["read_file", { path: "a\0b" }, "path: must not hold a NUL"],
    ["read_file", { path: "a", offset: 0 }, "offset: "],
    ["read_file", { path: "a\ud83d" }, "path: must not hold half a surrogate pair"],
    ["write_file", { path: "a", content: "\udc80" }, "content: must not hold half a surrogate pair"],
    ["edit_file", { path: "a", old_string: "x", new_string: "\ud83d!" }, "new_string: must not hold half a"],
    ["bash", { command: "echo \ud83d" }, "command: must not hold half a surrogate pair"],
    ["write_file", { path: "a" }, "content: is missing"],
    ["write_file", { path: "a", content: "x".repeat(210_000) }, "content: must be at most 204800 bytes"],
    ["edit_file", { path: "a", old_string: "", new_string: "x" }, "old_string: must not be empty"],
    ["edit_file", { path: "a", old_string: "x", new_string: "x" }, "identical to old_string"],
    ["glob", { pattern: "" }, "pattern: must not be blank"],
    ["grep", { pattern: "x", path_glob: 3 }, "path_glob: "],
    ["bash", { command: "  " }, "command: must not be blank"],
    ["bash", { command: ["ls"] }, "command: "],
    ["bash", { command: "x".repeat(120_000) }, "command: must be at most"],
  ])("name the field when %s gets %j", async (name, args, problem) => {
    expect(await run(name, args)).toContain(problem);
  });

  it("say how to read on, at a line's end and inside a line", async () => {
    const line = `${"x".repeat(999)}\n`;
    await writeFile(join(root, "lines.txt"), line.repeat(100));
    expect(await run("read_file", { path: "lines.txt", offset: 10, limit: 5 })).toContain("read on with offset 15]");
    const cut = { ok: true as const, content: Buffer.from("ab"), size: 9, firstLine: 4, lastLine: 4, truncated: true };
    const inOneLine = Object.assign(new FakeWork(root, "", ""), { readFile: async () => cut });
    expect(await run("read_file", { path: "x" }, inOneLine)).toContain("cut in the middle of the line");
  });

  it("replace bytes that are no UTF-8", async () => {
    await writeFile(join(root, "bin"), Buffer.from([0xff, 0xfe, 0x6f, 0x6b]));
    expect(await run("read_file", { path: "bin" })).toBe("\ufffd\ufffdok");
  });

  it("give no binary file as text, however long", async () => {
    await writeFile(join(root, "zeros"), Buffer.alloc(200_000));
    expect(await run("read_file", { path: "zeros" })).toBe("zeros: not a text file; it holds NUL characters.");
  });

  it("give at most 200 results, each of a bounded length", async () => {
    for (let i = 0; i < 201; i += 1) await writeFile(join(root, `f${i}.txt`), `NEEDLE${"y".repeat(2000)}\n`);
    const globbed = (await run("glob", { pattern: "*.txt" })).split("\n");
    expect(globbed).toHaveLength(201);
    expect(globbed.at(-1)).toContain("only the first 200");
    const grepped = await run("grep", { pattern: "NEEDLE" });
    expect(Buffer.byteLength(grepped)).toBeLessThan(53_000);
    expect(grepped).toContain("only the first 1");
    expect(await run("grep", { pattern: "nowhere" })).toBe("(no line matches)");
  });
});

describe("the post_edit hook", () => {
  it("adds findings to the answer, and nothing when there are none", async () => {
    expect(await run("write_file", { path: "bad.py", content: "import os\n" })).toContain("F401 unused import");
    expect(await run("write_file", { path: "good.py", content: "X = 1\n" })).not.toMatch(/ruff/i);
    expect(await run("write_file", { path: "bad.txt", content: "import os\n" })).not.toContain("F401");
    expect(work.asked.map((one) => one?.rules.args)).toEqual([["--select=F"], ["--select=F"], undefined]);
    expect(events.of("hook_run").map((one) => [one.hook, one.tool, one.outcome])).toEqual([
      ["post_edit", "write_file", "warned"],
      ["post_edit", "write_file", "silent"],
    ]);
  });
});

describe("bash", () => {
  it("runs and gives exit code and both streams", async () => {
    const said = await run("bash", { command: "echo out; echo err >&2; exit 3" });
    expect(said).toMatch(/^exit code 3\n/);
    expect(said).toContain("out");
    expect(said).toContain("err");
    expect(events.of("hook_run").map((one) => one.outcome)).toEqual(["allow"]);
  });

  it("does not run a vetoed command, and records it", async () => {
    expect(await run("bash", { command: "sudo touch x; touch y" })).toContain("Not run: ");
    await expect(readFile(join(root, "y"))).rejects.toThrow();
    expect(events.types).toEqual(["hook_run", "pre_tool_block"]);
    expect(events.of("pre_tool_block")[0]).toMatchObject({ tool: "bash", command: "sudo touch x; touch y" });
  });

  it("passes on the loss of its container", async () => {
    const gone = Object.assign(new FakeWork(root, "", ""), {
      bash: async () => {
        throw new HandsLost("work", "gone");
      },
    });
    await expect(run("bash", { command: "true" }, gone)).rejects.toBeInstanceOf(HandsLost);
  });
});
