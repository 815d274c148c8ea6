import { describe, expect, it } from "vitest";
import { ResponseAssembly } from "../../../runner/model/stream/response-assembly.js";
import { responseEventsOf } from "../../helpers/stream-chunks.js";

type Fields = Readonly<Record<string, unknown>>;

function assembled(events: readonly string[], name: string | null = null): ResponseAssembly {
  const assembly = new ResponseAssembly();
  for (const data of events) if (!assembly.isDone) assembly.take({ name, data });
  return assembly;
}

const answerTo = (event: Fields) => JSON.parse(JSON.stringify(assembled([JSON.stringify(event)]).answer())) as unknown;

const reply = {
  id: "resp_1",
  status: "completed",
  output: [
    { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "x" },
    { id: "msg_1", type: "message", content: [{ type: "output_text", text: "hello there" }] },
    { id: "fc_1", type: "function_call", call_id: "c", name: "bash", arguments: "{}" },
  ],
  usage: { input_tokens: 1, output_tokens: 2 },
};

describe("a reply of the Responses interface in events", () => {
  it("is the one in its last event", () => {
    const assembly = assembled(responseEventsOf(reply, 4));
    expect([assembly.isWhole, assembly.answer()]).toEqual([true, reply]);
    expect(assembly.chars).toBe("hello there{}".length);
  });

  it("has the finished items when the last event leaves them out", () => {
    expect(assembled(responseEventsOf(reply, 4, true)).answer()).toEqual(reply);
  });

  it("has its items in their own order, not in that of their ends", () => {
    const done = (output_index: number) =>
      JSON.stringify({ type: "response.output_item.done", output_index, item: { id: output_index } });
    const events = [done(1), done(0), '{"type":"response.completed","response":{"id":"r"}}'];
    expect(assembled(events).answer()).toMatchObject({ output: [{ id: 0 }, { id: 1 }] });
  });

  it.each(["incomplete", "failed", "cancelled"])("is %s when its last event says so", (status) => {
    const response = { ...reply, status: "in_progress" };
    expect(answerTo({ type: `response.${status}`, response })).toEqual({ ...reply, status });
  });

  it("is not whole before its last event, whatever else was done", () => {
    for (let count = 0; count < responseEventsOf(reply, 4).length; count += 1)
      expect(assembled(responseEventsOf(reply, 4).slice(0, count)).isWhole).toBe(false);
    expect(assembled([...responseEventsOf(reply, 4).slice(0, -1), "[DONE]"]).isWhole).toBe(false);
  });

  it.each<[string, Fields, unknown]>([
    [
      "an event",
      { type: "error", code: "server_error", message: "no", param: null },
      { error: { type: "error", code: "server_error", message: "no", param: null } },
    ],
    ["an object in an event", { type: "error", error: { message: "no" } }, { type: "error", error: { message: "no" } }],
    [
      "beside the last event",
      { type: "response.failed", error: { message: "no" } },
      { error: { message: "no" }, status: "failed" },
    ],
    ["without a name", { error: { message: "no" } }, { error: { message: "no" } }],
  ])("ends with an error: %s", (_, event, answer) => {
    expect(answerTo(event)).toEqual(answer);
  });
});
