import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { WireMessage } from "../../runner/demo/script/script.js";
import { type Fields, Front, type FrontRequest } from "./front.js";

export interface FrontRules {
  /** refuses chat completions with tools, as OpenAI's newer reasoning models do */
  readonly wantsResponses?: boolean;
  /** does not know the path, like most servers */
  readonly hasNoResponses?: boolean;
  /** says that the model has no sealed reasoning */
  readonly sealsNothing?: boolean;
  /** hides from the rules what only this interface has, as if the client kept only texts and calls */
  readonly forgetful?: boolean;
  /** a word in every reply, in its reasoning and in the first refusal */
  readonly echo?: string;
}

/**
 * OpenAI's two interfaces, by their published rules, in front of a scripted server that speaks only chat completions.
 */
export class ResponsesFront extends Front {
  readonly #rules: FrontRules;
  /** sealed reasoning, by the id of its item, and the items that came with it */
  readonly #sealed = new Map<string, string>();
  readonly #belongs = new Map<string, string>();
  #ids = 0;

  private constructor(behind: string, rules: FrontRules) {
    super(behind);
    this.#rules = rules;
  }

  static start(behind: string, rules: FrontRules = {}): Promise<ResponsesFront> {
    return new ResponsesFront(behind, rules).listen();
  }

  protected override async serve(
    asked: FrontRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const behind: Behind = async (body) => {
      const passed = await this.pass({ path: "/chat/completions", body }, request);
      return [passed.status, await passed.json()];
    };
    const { path, body } = asked;
    const [status, answer] = path === "/responses" ? await this.#respond(body, behind) : await this.#chat(body, behind);
    const text = JSON.stringify(answer);
    response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  }

  async #chat(body: Fields, behind: Behind): Promise<Answer> {
    if (this.#rules.wantsResponses && "tools" in body && body.reasoning_effort !== "none")
      return refused(
        `Function tools with reasoning_effort are not supported for ${String(body.model)} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        "reasoning_effort",
      );
    return await behind(body);
  }

  async #respond(body: Fields, behind: Behind): Promise<Answer> {
    if (this.#rules.echo !== undefined && this.asked.length === 1)
      return [503, error(`the key ${this.#rules.echo} met an internal error`, null)];
    if (this.#rules.hasNoResponses) return [404, { detail: "Not Found" }];
    if (this.#rules.sealsNothing && body.include !== undefined)
      return refused("Encrypted content is not supported with this model.", "include");
    const all = body.input as readonly Fields[];
    const input = this.#rules.forgetful ? all.filter(({ type }) => type !== "reasoning") : all;
    const broken = this.#broken(input);
    if (broken !== null) return broken;
    const messages = messagesOf(String(body.instructions ?? ""), input);
    const tools = (body.tools as readonly Fields[] | undefined)?.map(({ type, strict, ...called }) => ({
      type,
      function: called,
    }));
    const [status, answer] = await behind({ model: body.model, messages, ...(tools ? { tools } : {}) });
    return status === 200
      ? [200, this.#responseOf(answer as Completion, body.include !== undefined)]
      : [status, answer];
  }

  #broken(input: readonly Fields[]): Answer | null {
    const given = new Set(input.filter(({ type }) => type === "reasoning").map(({ id }) => id));
    for (const [at, item] of input.entries()) {
      const { type, id, call_id, encrypted_content } = item;
      if (type === "reasoning") {
        if (encrypted_content === undefined)
          return [
            404,
            error(
              `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
              "input",
            ),
          ];
        if (encrypted_content !== this.#sealed.get(String(id)))
          return refused("The encrypted content could not be verified.", null, "invalid_encrypted_content");
        if (input[at + 1]?.type !== "message" && input[at + 1]?.type !== "function_call")
          return refused(
            `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`,
            "input",
          );
      }
      const belongs = this.#belongs.get(String(id));
      if (belongs !== undefined && !given.has(belongs))
        return refused(
          `Item '${String(id)}' of type '${String(type)}' was provided without its required 'reasoning' item: '${belongs}'.`,
          "input",
        );
      if (type !== "function_call") continue;
      if (!input.slice(at).some((later) => later.type === "function_call_output" && later.call_id === call_id))
        return refused(`No tool output found for function call ${String(call_id)}.`, "input");
    }
    return null;
  }

  #responseOf({ model, choices, usage }: Completion, isSealed: boolean): Fields {
    const [choice] = choices;
    const { content, tool_calls: calls = [] } = choice?.message ?? { role: "assistant", content: null };
    const reasoning = this.#reasoning(isSealed);
    const said =
      typeof content === "string"
        ? [
            {
              id: this.#id("msg", reasoning.id),
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: content, annotations: [] }],
            },
          ]
        : [];
    const made = calls.map(({ id, function: called }) => ({
      id: this.#id("fc", reasoning.id),
      type: "function_call",
      status: "completed",
      call_id: id,
      ...called,
    }));
    const isCut = choice?.finish_reason === "length";
    return {
      id: `resp_${++this.#ids}`,
      object: "response",
      model,
      status: isCut ? "incomplete" : "completed",
      incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
      error: null,
      output: [...(said.length + made.length > 0 ? [reasoning] : []), ...said, ...made],
      usage: {
        input_tokens: usage?.prompt_tokens,
        output_tokens: usage?.completion_tokens,
        total_tokens: (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0),
      },
    };
  }

  #reasoning(isSealed: boolean): Fields & { readonly id: string } {
    const id = `rs_${++this.#ids}`;
    const encrypted_content = createHash("sha512").update(id).digest("base64");
    if (isSealed) this.#sealed.set(id, encrypted_content);
    return { id, type: "reasoning", summary: this.#thought(), ...(isSealed ? { encrypted_content } : {}) };
  }

  #thought(): readonly unknown[] {
    const { echo } = this.#rules;
    return echo === undefined ? [] : [{ type: "summary_text", text: `They gave me ${echo}.` }];
  }

  #id(kind: string, reasoning: string): string {
    const id = `${kind}_${++this.#ids}`;
    this.#belongs.set(id, reasoning);
    return id;
  }
}

type Answer = readonly [status: number, body: unknown];
/** Asks the server that speaks only chat completions. */
type Behind = (body: Fields) => Promise<Answer>;

interface Completion {
  readonly model: string;
  readonly choices: readonly { readonly message: WireMessage; readonly finish_reason: string }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

function error(message: string, param: string | null, code: string | null = null): unknown {
  return { error: { message, type: "invalid_request_error", param, code } };
}

function refused(message: string, param: string | null, code: string | null = null): Answer {
  return [400, error(message, param, code)];
}

interface Reply {
  readonly role: "assistant";
  content: string | null;
  readonly tool_calls: unknown[];
}

/** The conversation as chat completions, for the script behind. */
function messagesOf(instructions: string, input: readonly Fields[]): readonly unknown[] {
  const messages: unknown[] = [{ role: "system", content: instructions }];
  let reply: Reply | null = null;
  for (const item of input) {
    if (item.type === "reasoning") continue;
    const other = otherThanReply(item);
    if (other !== null) {
      messages.push(other);
      reply = null;
      continue;
    }
    if (reply === null) {
      reply = { role: "assistant", content: null, tool_calls: [] };
      messages.push(reply);
    }
    const { type, call_id: id, name, arguments: text, content } = item;
    if (type === "function_call") reply.tool_calls.push({ id, type: "function", function: { name, arguments: text } });
    else reply.content = typeof content === "string" ? content : ((content as { text: string }[])[0]?.text ?? "");
  }
  return messages;
}

function otherThanReply({ type, role, content, call_id, output }: Fields): unknown {
  if (type === "function_call_output") return { role: "tool", tool_call_id: call_id, content: output };
  return role === "user" ? { role: "user", content } : null;
}
