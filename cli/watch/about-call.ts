import { oneLine } from "../../runner/text/sanitise.js";
import { lookOf, mainArguments, type ToolLooks } from "../../runner/tools/tool/look.js";

interface LoggedCall {
  readonly tool: string;
  readonly args: unknown;
}

/** Shows the first line of a call's main argument. */
export function aboutCall(call: LoggedCall, looks: ToolLooks): string {
  return firstLine(mainOf(call, looks));
}

/** Returns the main argument of a call. For a tool that nobody declared, it looks for one that others have as theirs. */
export function mainOf({ tool, args }: LoggedCall, looks: ToolLooks): string {
  const look = lookOf(looks, tool);
  const names = look === null ? mainArguments(looks) : [look.main ?? ""];
  return names.flatMap((name) => textIn(args, name))[0] ?? "";
}

function textIn(args: unknown, name: string): readonly string[] {
  if (typeof args !== "object" || args === null || !Object.hasOwn(args, name)) return [];
  const value: unknown = Reflect.get(args, name);
  return typeof value === "string" ? [value] : [];
}

export function firstLine(text: string): string {
  return oneLine(text.trimStart().split(/[\r\n]/, 1)[0] ?? "", 100);
}
