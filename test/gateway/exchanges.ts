import { isDeepStrictEqual } from "node:util";
import type { Turn } from "../../runner/demo/script/script.js";
import { ContextFull, type Message, type ModelReply } from "../../runner/model/port/model-client.js";
import { Asking, question } from "../helpers/asking.js";
import { type Expectation, NotSeen } from "./expectation.js";
import { billed, called, contextFull, foreign, numbers, refused, unreadable, usedUp } from "./replies.js";
import { type Claude, type Dialect, type GatewayStage, prices } from "./stage.js";

type Ask = (...turns: readonly Turn[]) => Asking;
const thanks: Turn = { quiet: "Thanks." };

/** Single questions through the gateway, each with its own client, answered whole or as streams. */
export function exchangesOf(stage: GatewayStage, dialect: Dialect): Expectation[] {
  return [...answered(stage, dialect, false), ...answered(stage, dialect, true)];
}

function answered(stage: GatewayStage, dialect: Dialect, stream: boolean): Expectation[] {
  const ask: Ask = (...turns) => {
    stage.programme.turns(...turns);
    return new Asking(stage.endpoints(dialect), { stream });
  };
  const kinds = {
    openai: () => [
      ...ofCalls(ask),
      ...ofReasoning(ask, stage, dialect),
      ...ofForeignFields(ask, stage),
      ...ofWire(ask, "openai"),
    ],
    anthropic: () => [...ofCalls(ask), ...ofWire(ask, "anthropic")],
    thinking: () => [...ofCalls(ask), ...ofReasoning(ask, stage, dialect), ...ofUnreadable(ask, stage, "thinking")],
    bound: () => [...ofCalls(ask), ...ofReasoning(ask, stage, dialect), ...ofUnreadable(ask, stage, "bound")],
  };
  return kinds[dialect]().map(({ name, holds }) => ({
    name: `${dialect}: ${stream ? "streamed: " : ""}${name}`,
    holds,
  }));
}

function ofCalls(ask: Ask): Expectation[] {
  return [
    { name: "two tool calls are answered", holds: () => answersCalls(ask(called, thanks)) },
    {
      name: "calls of three replies in a row are answered",
      holds: () => answersCalls(ask(called, called, called, thanks), 3),
    },
  ];
}

function ofReasoning(ask: Ask, stage: GatewayStage, dialect: Dialect): Expectation[] {
  return [
    {
      name: "what it thought goes back",
      holds: async () => {
        await answersCalls(ask(called, thanks));
        return sentBack(stage.lastMessages(dialect), [numbers.thought]);
      },
    },
  ];
}

function ofForeignFields(ask: Ask, stage: GatewayStage): Expectation[] {
  return [
    {
      name: "fields of a call that nobody here knows, and a long id, go back",
      holds: async () => {
        const { call, parts } = foreign;
        await answersCalls(ask({ message: { role: "assistant", content: null, tool_calls: [call] } }, thanks));
        return sentBack(stage.lastMessages("openai"), parts);
      },
    },
  ];
}

function ofUnreadable(ask: Ask, stage: GatewayStage, dialect: Claude): Expectation[] {
  return [
    {
      name: "thinking that nobody may read goes back",
      holds: async () => {
        const given: string[] = [];
        const redacted: Turn = () => {
          const { data, body } = unreadable(stage.claudes[dialect]);
          given.push(data);
          return { status: 200, body };
        };
        await answersCalls(ask(redacted, thanks));
        return sentBack(stage.lastMessages(dialect), given);
      },
    },
  ];
}

function ofWire(ask: Ask, dialect: "openai" | "anthropic"): Expectation[] {
  return [
    {
      name: "tokens are counted, also those of the cache",
      holds: async () => {
        const { usage } = await ask(billed(dialect)).ask();
        const { prompt, cached, written, completion } = numbers;
        return holding(usage, [prompt, cached, completion, ...(dialect === "openai" ? [] : [written])]);
      },
    },
    {
      name: "the cost in the gateway's header is the call's",
      holds: async () => {
        const { cost } = await ask(billed(dialect)).ask();
        const wanted = costOf(dialect);
        if (cost === null || Math.abs(cost - wanted) > 1e-9) throw new NotSeen(`${cost}, not ${wanted}`);
        return `${cost} dollars`;
      },
    },
    {
      name: "a 429 is waited out as long as its header says",
      holds: async () => {
        const asked = ask(refused(7), { quiet: "Hello." });
        await asked.ask();
        const [waited = 0] = asked.clock.slept;
        if (waited < 7_000) throw new NotSeen(`waited ${Math.round(waited)} ms, not 7,000`);
        return `waited ${Math.round(waited)} ms`;
      },
    },
    {
      name: "a limit that is used up is waited for before it refuses",
      holds: async () => {
        const asked = ask(usedUp(dialect, 7), thanks);
        await asked.ask();
        await asked.ask();
        const [wait] = asked.waits;
        if (asked.waits.length !== 1 || wait === undefined || wait.waitMs < 5_000 || wait.waitMs > 9_000)
          throw new NotSeen(
            `waited ${asked.waits.map(({ waitMs }) => waitMs).join(", ") || "not at all"}, not some 7,000 ms`,
          );
        return `waited ${wait.waitMs} ms: ${wait.reason}`;
      },
    },
    {
      name: "a full context is recognised",
      holds: async () => {
        const failure = await ask(contextFull(dialect)).failure();
        if (!(failure instanceof ContextFull)) throw new NotSeen(String(failure));
        return failure.message;
      },
    },
    {
      name: "a cut reply is known as cut",
      holds: async () => {
        const { finishReason } = await ask({ cut: ["bash", '{"command": "l'] }).ask();
        if (finishReason !== "length") throw new NotSeen(finishReason);
        return finishReason;
      },
    },
    {
      name: "a connection that breaks is tried again",
      holds: async () => {
        const asked = ask({ drop: "at once" }, { drop: "half way" }, { quiet: "Hello." });
        const { message } = await asked.ask();
        return `"${message.content}" after ${asked.retries.length} that broke`;
      },
    },
  ];
}

/** Answers that many replies with results, and gives the last reply. */
async function answersCalls(asking: Asking, times = 1): Promise<string> {
  const messages: Message[] = [...question.messages];
  let count = 0;
  for (let at = 0; at < times; at++) {
    const { message } = await asking.ask({ messages });
    if (message.calls.length === 0) throw new NotSeen(`no call, but "${message.content}"`);
    count += message.calls.length;
    messages.push(message, ...message.calls.map(({ id }): Message => ({ role: "tool", callId: id, content: "a.txt" })));
  }
  const { message } = await asking.ask({ messages });
  if (message.content !== "Thanks.") throw new NotSeen(`no thanks, but ${JSON.stringify(message)}`);
  return `${count} calls answered, then "${message.content}"`;
}

function sentBack(messages: readonly unknown[], parts: readonly string[]): string {
  const text = JSON.stringify(messages);
  const lost = parts.filter((part) => !text.includes(part));
  if (lost.length > 0) throw new NotSeen(`lost on the way: ${lost.join(", ")}`);
  return "the upstream got it back";
}

function holding(usage: ModelReply["usage"], wanted: readonly number[]): string {
  const counted: readonly unknown[] = Object.values(usage);
  const missing = wanted.filter((number) => !counted.some((each) => isDeepStrictEqual(each, number)));
  const seen = JSON.stringify(usage);
  if (missing.length > 0) throw new NotSeen(`no ${missing.join(", no ")} in ${seen}`);
  return seen;
}

function costOf(dialect: "openai" | "anthropic"): number {
  const written = dialect === "openai" ? 0 : numbers.written;
  const fresh = numbers.prompt - numbers.cached - written;
  return (
    fresh * prices.input_cost_per_token +
    numbers.cached * prices.cache_read_input_token_cost +
    written * prices.cache_creation_input_token_cost +
    numbers.completion * prices.output_cost_per_token
  );
}
