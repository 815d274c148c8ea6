import { z } from "zod";

const whole = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string(),
  usage: z.looseObject({ output_tokens: z.number() }),
});

/** The reply as the events of a stream, in the order of the published interface. */
export function eventsOf(reply: Record<string, unknown>): string[] {
  const { content, stop_reason, usage } = whole.parse(reply);
  const blocks = content.flatMap((block, index) => {
    const { start, deltas } = inPieces(block);
    return [
      event("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ];
  });
  const message = { ...reply, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    event("message_start", { message }),
    ...blocks,
    event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }),
    event("message_stop", {}),
  ];
}

function inPieces(block: Readonly<Record<string, unknown>>): { start: unknown; deltas: readonly unknown[] } {
  if (block.type === "text")
    return { start: { ...block, text: "" }, deltas: halves(block.text).map((text) => ({ type: "text_delta", text })) };
  if (block.type === "tool_use") {
    const parts = halves(JSON.stringify(block.input));
    const deltas = parts.map((partial_json) => ({ type: "input_json_delta", partial_json }));
    return { start: { ...block, input: {} }, deltas };
  }
  if (block.type !== "thinking") return { start: block, deltas: [] };
  const thinking = halves(block.thinking).map((part) => ({ type: "thinking_delta", thinking: part }));
  return {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [...thinking, { type: "signature_delta", signature: block.signature }],
  };
}

function halves(given: unknown): string[] {
  const text = String(given);
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
