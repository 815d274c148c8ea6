import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ToolCall } from "../../../runner/model/port/model-client.js";
import { workerTools } from "../../../runner/tools/roles.js";
import { recorded } from "../../../runner/tools/tool/recorded.js";
import { Registry } from "../../../runner/tools/tool/registry.js";
import { settle } from "../../../runner/tools/tool/settle.js";
import { tool } from "../../../runner/tools/tool/tool.js";
import { submitCase } from "../../../runner/tools/worker/submit-case.js";
import { RecordedEvents, span } from "../../helpers/recorded-events.js";

const ran: unknown[] = [];
const input = z.strictObject({ path: z.string(), depth: z.number().nullish() });
const registry = new Registry(
  [
    tool({
      name: "look",
      description: "looks",
      input,
      run: async (given) => {
        ran.push(given);
        return "seen";
      },
    }),
  ],
  [submitCase],
);
const call = (name: string, args: unknown) => ({
  id: "c1",
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
});
const nested = (depth: number) => `{"path":${"[".repeat(depth)}${"]".repeat(depth)}}`;

describe("settling a call", () => {
  it("runs a tool with the arguments that its schema let through", async () => {
    ran.length = 0;
    expect(await settle(call("look", { path: "a", depth: null }), registry, null)).toBe("seen");
    expect(ran).toEqual([{ path: "a", depth: null }]);
  });

  it.each([
    ["a field missing", call("look", {}), "path: is missing"],
    ["a field of another kind", call("look", { path: 5 }), "path: "],
    ["an unknown key", call("look", { path: "a", pth: 1 }), 'unknown key "pth"'],
    ["an own key named __proto__", call("look", '{"path":"a","__proto__":{"x":1}}'), "__proto__"],
    ["an array", call("look", "[]"), "not an array"],
    ["null", call("look", "null"), "not null"],
    ["no JSON", call("look", '{"path": "a'), "could not be parsed as JSON"],
    ["two objects", call("look", '{"path":"a"}{"path":"b"}'), "could not be parsed as JSON"],
    ["nested deeper than any stack", call("look", nested(100_000)), "nested too deep"],
    ["a number beyond all numbers", call("look", '{"path":"a","depth":1e999}'), "a number that is too large"],
    ["one in a list", call("look", '{"path":["a",[-1e999]]}'), "a number that is too large"],
  ])("answers %s without running anything", async (_, given, names) => {
    ran.length = 0;
    expect(await settle(given, registry, null)).toContain(names);
    expect(ran).toEqual([]);
  });

  it.each(["nonexistent", "constructor", "__proto__", "toString", "hasOwnProperty"])(
    "answers the unknown tool %s with the list of tools",
    async (name) => {
      expect(await settle(call(name, {}), registry, null)).toContain("look, submit_case");
    },
  );

  it("logs the call before it runs, and the whole answer after", async () => {
    const events = new RecordedEvents();
    const before: unknown[] = [];
    const log = { events, span };
    await recorded(call("look", { path: "a" }), log, async () => {
      before.push(...events.types);
      return { content: "seen" };
    });
    await recorded(call("look", nested(100_000)), log, async () => ({ content: "no" }));
    await recorded(call("look", '{"path":1e999}'), log, async () => ({ content: "no" }));
    expect(before).toEqual(["tool_call"]);
    expect(events.of("tool_call").map((one) => one.args)).toEqual([{ path: "a" }, nested(100_000), '{"path":1e999}']);
    expect(events.of("tool_result")[0]).toMatchObject({ tool: "look", call_id: "c1", content: "seen", iter: 3 });
  });
});

describe("the log of a call", () => {
  const logged = async (shown?: (given: ToolCall) => ToolCall) => {
    const events = new RecordedEvents();
    const given = call("look", { path: "a".repeat(100_000) });
    await recorded(given, { events, span, ...(shown ? { shown } : {}) }, async () => ({ content: "seen" }));
    return events.of("tool_call")[0]?.args;
  };

  it("holds its arguments whole, unless the role has them shown otherwise", async () => {
    expect(await logged()).toEqual({ path: "a".repeat(100_000) });
    expect(await logged((given) => ({ ...given, arguments: '{"path":"a…"}' }))).toEqual({ path: "a…" });
    expect(await logged((given) => ({ ...given, arguments: "cut" }))).toBe("cut");
  });
});

describe("the worker's registry", () => {
  it("offers the seven tools with the parameters the design names", () => {
    const required = Object.fromEntries(
      workerTools().definitions.map(({ name, parameters }) => [name, parameters.required]),
    );
    expect(required).toEqual({
      bash: ["command"],
      read_file: ["path"],
      write_file: ["path", "content"],
      edit_file: ["path", "old_string", "new_string"],
      glob: ["pattern"],
      grep: ["pattern"],
      submit_case: ["summary", "ac_coverage"],
    });
    expect(workerTools().isTerminal("submit_case")).toBe(true);
    expect(workerTools().isTerminal("bash")).toBe(false);
  });
});
