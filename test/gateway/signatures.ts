import { createHash, createHmac, randomBytes } from "node:crypto";
import type { AnthropicRequest, Block } from "./anthropic-request.js";

/** about as long as real ones are */
const digests = 8;

/** A block's text and the conversation it was given out in. */
interface Origin {
  readonly text: string;
  readonly system: string;
  readonly before: string;
  /** the thinking before the block */
  readonly previous: string | null;
}

type Conversation = Pick<AnthropicRequest, "system" | "tools" | "messages">;

export function isThought({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/**
 * Keeps the thinking blocks that were given out, and tells which of those that come back are the same in the same
 * place.
 */
export class Signatures {
  readonly #secret = randomBytes(32);
  readonly #given = new Map<string, Origin>();

  thinking(text: string, after: Conversation): Block {
    const nonce = randomBytes(16).toString("hex");
    const parts = Array.from({ length: digests }, (_, at) =>
      createHmac("sha256", this.#secret).update(`${at} ${nonce} ${text}`).digest(),
    );
    const signature = Buffer.concat(parts).toString("base64");
    this.#given.set(signature, { text, ...originOf(after) });
    return { type: "thinking", thinking: text, signature };
  }

  redacted(after: Conversation): Block {
    const data = randomBytes(32 * digests).toString("base64");
    this.#given.set(data, { text: "", ...originOf(after) });
    return { type: "redacted_thinking", data };
  }

  gave(block: Block): boolean {
    return this.#given.has(markOf(block));
  }

  unchanged(block: Block): boolean {
    return this.#given.get(markOf(block))?.text === (block.type === "thinking" ? block.thinking : "");
  }

  /**
   * Finds the part before a block that has changed. The chain of thinking may be shorter at its start, but has no gaps.
   */
  moved(block: Block, after: Conversation): "system" | "messages" | null {
    const was = this.#given.get(markOf(block));
    if (was === undefined) return null;
    const is = originOf(after);
    if (was.system !== is.system) return "system";
    const isChained = is.previous === null || is.previous === was.previous;
    return was.before === is.before && isChained ? null : "messages";
  }
}

function markOf(block: Block): string {
  return String(block.type === "thinking" ? block.signature : block.data);
}

function originOf({ system, tools, messages }: Conversation): Omit<Origin, "text"> {
  const said = messages.map(({ role, content }) => [role, content.filter((block) => !isThought(block))]);
  const previous = messages.flatMap(({ content }) => content.filter(isThought)).at(-1);
  return {
    system: hashOf(system),
    before: hashOf([tools, said]),
    previous: previous === undefined ? null : markOf(previous),
  };
}

/** Cache marks mean nothing to a model, and move on from call to call, so they are left out. */
function hashOf(value: unknown): string {
  const text = JSON.stringify(value, (key, each: unknown) => (key === "cache_control" ? undefined : each));
  return createHash("sha256").update(text).digest("hex");
}
