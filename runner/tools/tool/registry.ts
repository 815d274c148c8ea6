import type { z } from "zod";
import type { ToolDefinition } from "../../model/port/model-client.js";
import { asJsonSchema, checkArguments, type Parsed } from "./arguments.js";

export interface Tool<I, C> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** Returns the text for the model, also for what could not be done. */
  run(input: I, context: C): Promise<string>;
}

/** A tool that hides the type of its input. */
export interface AnyTool<C> {
  readonly definition: ToolDefinition;
  /** Checks the arguments, then returns the work that is left. */
  prepare(args: unknown, context: C): Parsed<() => Promise<string>>;
}

export function tool<I, C>(spec: Tool<I, C>): AnyTool<C> {
  return {
    definition: { name: spec.name, description: spec.description, parameters: asJsonSchema(spec.input) },
    prepare: (args, context) => {
      const checked = checkArguments(args, spec.input);
      return checked.ok ? { ok: true, value: () => spec.run(checked.value, context) } : checked;
    },
  };
}

/** All tools that a role can call. Terminal tools end a turn; the role's loop reads their arguments itself. */
export class Registry<C> {
  readonly definitions: readonly ToolDefinition[];
  readonly #tools: ReadonlyMap<string, AnyTool<C>>;
  readonly #terminal: ReadonlySet<string>;

  constructor(tools: readonly AnyTool<C>[], terminal: readonly ToolDefinition[]) {
    this.definitions = [...tools.map((one) => one.definition), ...terminal];
    this.#tools = new Map(tools.map((one) => [one.definition.name, one]));
    this.#terminal = new Set(terminal.map((one) => one.name));
  }

  find(name: string): AnyTool<C> | null {
    return this.#tools.get(name) ?? null;
  }

  isTerminal(name: string): boolean {
    return this.#terminal.has(name);
  }

  get names(): readonly string[] {
    return this.definitions.map((one) => one.name);
  }
}
