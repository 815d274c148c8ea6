type Fields = Readonly<Record<string, unknown>>;

/** The events of a stream, each as the text of its data. */
export type StreamEvents = readonly string[];

/** A chat completion as chunks: words in pieces of so many characters, usage in a chunk of its own. */
export function chunksOf(completion: Fields, size: number): StreamEvents {
  const { choices, usage, ...around } = completion;
  const [choice] = choices as readonly Fields[];
  const chunk = (fields: Fields) => ({ ...around, object: "chat.completion.chunk", ...fields });
  const delta = (said: Fields) => chunk({ choices: [{ index: 0, delta: said, finish_reason: null }] });
  const last = [
    ...(choice === undefined ? [] : [chunk({ choices: [{ ...choice, message: undefined, delta: {} }] })]),
    ...(usage === undefined ? [] : [chunk({ choices: [], usage })]),
  ];
  const message = (choice?.message ?? {}) as Fields;
  return [...[...deltasOf(message, size).map(delta), ...last].map((one) => JSON.stringify(one)), "[DONE]"];
}

function deltasOf({ role, content, tool_calls = [], ...others }: Fields, size: number): readonly Fields[] {
  const calls = tool_calls as readonly Fields[];
  const said = typeof content === "string" ? inPieces(content, size).map((piece) => ({ content: piece })) : [];
  return [
    { role, content: typeof content === "string" && calls.length === 0 ? "" : null },
    ...Object.entries(others).flatMap(([name, value]) => ownInPieces(name, value, size)),
    ...(Array.isArray(content) ? [{ content }] : said),
    ...calls.flatMap((call, index) => callInPieces(call, index, size)),
  ];
}

function ownInPieces(name: string, value: unknown, size: number): readonly Fields[] {
  if (typeof value === "string") return inPieces(value, size).map((piece) => ({ [name]: piece }));
  if (name !== "thinking_blocks" && name !== "reasoning_details") return [{ [name]: value }];
  return (value as readonly Fields[]).flatMap((block) =>
    blockInPieces(block, size).map((piece) => ({ [name]: [piece] })),
  );
}

/** Thoughts come in pieces, and their signature in the last one, as LiteLLM and OpenRouter hand them on. */
function blockInPieces(block: Fields, size: number): readonly Fields[] {
  const [name, thought] = Object.entries(block).find(([key]) => key === "thinking" || key === "text") ?? [];
  if (name === undefined || typeof thought !== "string") return [block];
  const { [name]: _, signature, ...others } = block;
  return [
    ...inPieces(thought, size).map((piece) => ({ ...others, [name]: piece })),
    ...(signature === undefined ? [] : [{ ...others, [name]: "", signature }]),
  ];
}

function callInPieces({ function: called, ...others }: Fields, index: number, size: number): readonly Fields[] {
  const { arguments: text, ...named } = called as Fields;
  const first = { index, ...others, function: { ...named, arguments: "" } };
  const rest = inPieces(String(text), size).map((piece) => ({ index, function: { arguments: piece } }));
  return [{ tool_calls: [first] }, ...rest.map((call) => ({ tool_calls: [call] }))];
}

/** A reply of the Responses interface as its events; `emptied`: the last event leaves the items to those before it. */
export function responseEventsOf(response: Fields, size: number, emptied = false): StreamEvents {
  const items = response.output as readonly Fields[];
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const events: readonly Fields[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items.flatMap((item, output_index) => itemEvents(item, output_index, size)),
    { type: `response.${String(response.status)}`, response: emptied ? { ...response, output: [] } : response },
  ];
  return events.map((event, sequence_number) => JSON.stringify({ ...event, sequence_number }));
}

function itemEvents(item: Fields, output_index: number, size: number): readonly Fields[] {
  const isCall = item.type === "function_call";
  const [part] = (item.content ?? []) as readonly Fields[];
  const type = isCall ? "response.function_call_arguments.delta" : "response.output_text.delta";
  const text = String((isCall ? item.arguments : part?.text) ?? "");
  return [
    { type: "response.output_item.added", output_index, item: { ...item, content: [], arguments: "" } },
    ...inPieces(text, size).map((delta) => ({ type, output_index, item_id: item.id, delta })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function inPieces(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}
