import type { Payload } from "./events.js";

/** The tool that presents a case. Its name stands here because logs are read by it. */
export const caseTool = "submit_case";

export function presentsCase({ tool }: Payload<"tool_call">): boolean {
  return tool === caseTool;
}
