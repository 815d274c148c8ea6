import type { z } from "zod";
import { argumentsOf } from "../../model/port/call-arguments.js";
import type { ToolCall, ToolDefinition } from "../../model/port/model-client.js";
import { asJsonSchema, checkArguments, type Parsed } from "./arguments.js";
import type { ToolLook } from "./look.js";

/** The one place where a tool is described: all tables of tools are made from it. */
interface Declaration<I> extends ToolLook {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  readonly main?: string & keyof I;
}

export interface Tool<I, C> extends Declaration<I> {
  /** Returns the text for the model, also for what could not be done. */
  run(input: I, context: C): Promise<string>;
}

/** A tool that ends a turn. Its role's loop reads the arguments and does what follows. */
interface TerminalTool<I> extends Declaration<I> {
  /** the schema that a model is offered, where it is stricter than what is read */
  readonly offered?: z.ZodType;
}

/** A tool that hides the type of its input. */
export interface AnyTool<C> {
  readonly definition: ToolDefinition;
  readonly look: ToolLook;
  /** Checks the arguments, then returns the work that is left. */
  prepare(args: unknown, context: C): Parsed<() => Promise<string>>;
}

export interface Terminal<I> {
  readonly definition: ToolDefinition;
  readonly look: ToolLook;
  /** Reads the arguments of a call; a problem has one line for each field that is wrong. */
  read(call: Pick<ToolCall, "arguments">): Parsed<I>;
}

export function tool<I, C>(declared: Tool<I, C>): AnyTool<C> {
  const { name, description, input, run, ...look } = declared;
  return {
    definition: { name, description, parameters: asJsonSchema(input) },
    look,
    prepare: (args, context) => {
      const checked = checkArguments(args, input);
      return checked.ok ? { ok: true, value: () => run(checked.value, context) } : checked;
    },
  };
}

export function terminal<I>(declared: TerminalTool<I>): Terminal<I> {
  const { name, description, input, offered = input, ...look } = declared;
  return {
    definition: { name, description, parameters: asJsonSchema(offered) },
    look,
    read: (call) => {
      const args = argumentsOf(call);
      if (args.kind !== "object") return { ok: false, problem: `${args.problem} (${name})` };
      return checkArguments(args.value, input);
    },
  };
}
