/** The interfaces a model can be asked through: chat completions, and OpenAI's Responses. */
export const apis = ["chat", "responses"] as const;
export type Api = (typeof apis)[number];
