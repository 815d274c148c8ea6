import { expect, it } from "vitest";
import type { Message, ModelRequest } from "../../runner/model/port/model-client.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { faultsOfHistory, faultsOfLog } from "../helpers/loop-oracle.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, solve } from "../helpers/loop-turns.js";

const opening: Message[] = [
  { role: "system", content: "s" },
  { role: "user", content: "u" },
];
const called = (...ids: string[]): Message => ({
  role: "assistant",
  content: null,
  calls: ids.map((id) => ({ id, name: "bash", arguments: "{}" })),
  own: null,
});
const answer = (callId: string): Message => ({ role: "tool", callId, content: "done" });
const request = (...messages: Message[]): ModelRequest => ({ role: "worker", messages, tools: [] });

it("the oracle finds a history that a strict provider would not accept", () => {
  const whole = request(...opening, called("a", "b"), answer("a"), answer("b"), called("c"), answer("c"));
  expect(faultsOfHistory(whole)).toEqual([]);
  const broken: readonly (readonly Message[])[] = [
    [...opening, called("a", "b"), answer("a")],
    [...opening, called("a"), { role: "user", content: "and?" }, answer("a")],
    [...opening, called("a"), answer("a"), answer("a")],
    [...opening, called("a"), answer("a"), called("a"), answer("a")],
    opening.slice(1),
  ];
  for (const messages of broken) expect(faultsOfHistory(request(...messages))).not.toEqual([]);
});

it("the oracle finds a log that lacks a step before a commit, or has one twice", async () => {
  const session = await LoopSession.open();
  const { events } = await session.run({ worker: [solve(1)], evaluator: [accept] });
  const without = (type: TilthEvent["type"]) => events.filter((event) => event.type !== type);
  for (const type of ["check_run", "evaluator_verdict", "commit_prepared", "commit"] as const)
    expect(faultsOfLog(without(type))).not.toEqual([]);
  expect(faultsOfLog([...events, ...events.filter(({ type }) => type === "commit")])).not.toEqual([]);
  const otherTree = events.map((event) =>
    event.type === "check_run" ? { ...event, payload: { ...event.payload, tree: "0".repeat(40) } } : event,
  );
  expect(faultsOfLog(otherTree)).not.toEqual([]);
});
