import { oneLine } from "../../runner/text/sanitise.js";

/** Shows the most telling argument of a call on one line. */
export function aboutCall(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const shown = ["command", "path", "pattern", "summary"].flatMap((key) => {
    const value = (args as Record<string, unknown>)[key];
    return typeof value === "string" ? [value] : [];
  });
  return firstLine(shown[0] ?? "");
}

export function firstLine(text: string): string {
  return oneLine(text.trimStart().split(/[\r\n]/, 1)[0] ?? "", 100);
}
