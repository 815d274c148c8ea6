import type { ScriptedRequest } from "../../runner/demo/script/script.js";

type Sent = Pick<ScriptedRequest, "role" | "body">;

/** A conversation's beginning, which no other one shares: the system part and the first message behind it. */
function openingOf({ body }: Sent): string {
  return JSON.stringify((body.messages as unknown[]).slice(0, 2));
}

/** All but the end of the last message, so that what is appended goes on where this stops. */
function textOf({ body }: Sent): string {
  const { messages, ...others } = body;
  return `${JSON.stringify(others)}${JSON.stringify(messages).slice(0, -1)}`;
}

/** Requests that do not begin with the whole of the one before them in their conversation, by their place among all. */
export function brokenPrefixes(requests: readonly Sent[]): number[] {
  const last = new Map<string, Sent>();
  return requests.flatMap((request, at) => {
    const conversation = `${request.role} ${openingOf(request)}`;
    const before = last.get(conversation);
    last.set(conversation, request);
    return before === undefined || textOf(request).startsWith(textOf(before)) ? [] : [at];
  });
}

/** How much of all prompts, in characters, a cache would serve that keeps every beginning it has seen of a model. */
export function servedByCache(requests: readonly ScriptedRequest[]): { readonly all: number; readonly served: number } {
  const seen = new Map<string, string[]>();
  let [all, served] = [0, 0];
  for (const { model, body } of requests) {
    const text = `${JSON.stringify(body.tools ?? [])}${JSON.stringify(body.messages).slice(0, -1)}`;
    const earlier = seen.get(model) ?? [];
    all += text.length;
    served += Math.max(0, ...earlier.map((one) => sharedBeginning(one, text)));
    seen.set(model, [...earlier, text]);
  }
  return { all, served };
}

function sharedBeginning(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}
