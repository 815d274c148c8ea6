import type { ScriptedRequest } from "../../runner/demo/script/script.js";

type Sent = Pick<ScriptedRequest, "role" | "body">;

/** The beginning that only this conversation has: the system part and the first message after it. */
function openingOf({ body }: Sent): string {
  return JSON.stringify((body.messages as unknown[]).slice(0, 2));
}

/** Everything but the end of the last message, so that an appended message goes on where this text stops. */
function textOf({ body }: Sent): string {
  const { messages, ...others } = body;
  return `${JSON.stringify(others)}${JSON.stringify(messages).slice(0, -1)}`;
}

/** Places of the requests that do not begin with the whole request before them in their conversation. */
export function brokenPrefixes(requests: readonly Sent[]): number[] {
  const last = new Map<string, Sent>();
  return requests.flatMap((request, at) => {
    const conversation = `${request.role} ${openingOf(request)}`;
    const before = last.get(conversation);
    last.set(conversation, request);
    return before === undefined || textOf(request).startsWith(textOf(before)) ? [] : [at];
  });
}

/**
 * The characters of all prompts, and how many of them a cache would serve that keeps every beginning it has seen of a
 * model.
 */
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
