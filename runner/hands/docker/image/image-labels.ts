import { z } from "zod";

export const imageLabels = {
  layer: "tilth.layer",
  recipe: "tilth.recipe",
  base: "tilth.base",
  programs: "tilth.programs",
  tools: "tilth.tools",
} as const;

const tools = z.array(z.string());

/** Returns the tools in an image's label; none when tilth did not write it, for anybody can label an image. */
export function toolsIn(labels: Readonly<Record<string, string>>): readonly string[] {
  try {
    return tools.parse(JSON.parse(labels[imageLabels.tools] ?? "[]"));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return [];
    throw error;
  }
}
