import type { ToolDefinition } from "../../model/port/model-client.js";
import type { ToolLook, ToolLooks } from "./look.js";
import type { AnyTool, Terminal } from "./tool.js";

/** The tools of a role without the work that they do. */
export type ToolSet = Pick<Registry<never>, "definitions" | "looks" | "isTerminal">;

/** All tools that a role can call. Terminal tools end a turn; the role's loop reads their arguments itself. */
export class Registry<C> {
  readonly definitions: readonly ToolDefinition[];
  readonly looks: ToolLooks;
  readonly #tools: ReadonlyMap<string, AnyTool<C>>;
  readonly #terminal: ReadonlySet<string>;

  constructor(tools: readonly AnyTool<C>[], terminal: readonly Terminal<unknown>[]) {
    const all = [...tools, ...terminal];
    this.definitions = all.map((one) => one.definition);
    this.looks = Object.fromEntries(all.map((one): [string, ToolLook] => [one.definition.name, one.look]));
    this.#tools = new Map(tools.map((one) => [one.definition.name, one]));
    this.#terminal = new Set(terminal.map((one) => one.definition.name));
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
