import type { Usage } from "../../../../runner/session/summary/usage.js";
import { tokenParts } from "../../../output/token-parts.js";
import { amount, counted, money, shortId, span } from "../elements/numbers.js";
import { badge, fold, pairs, prose } from "../elements/texts.js";
import type { LoggedEvent } from "../log/item.js";
import { fieldsOf, textOf } from "../log/read.js";
import type { Receipt } from "../log/tallies.js";
import { type Block, treeOf } from "./block.js";
import { roleOf } from "./model.js";

/** Shows a commit, from the commit object to the finished task. */
export function commit(events: readonly LoggedEvent[], { receipt }: { readonly receipt: Receipt | null }): Block {
  const first = fieldsOf(events[0]?.payload);
  const has = (type: string) => events.some((event) => event.type === type);
  const moved = has("commit") || events[0]?.type === "seed_committed";
  return {
    label: events[0]?.type === "seed_committed" ? "seed commit" : "commit",
    title: shortId(textOf(first.sha)),
    mono: true,
    badge: has("task_done") ? badge(true, "task done") : moved ? null : badge(null, "prepared"),
    facts: [moved ? null : "the branch has not moved to it", treeOf(first), ...(receipt ? took(receipt) : [])],
    body: [
      receipt ? fold("What each role used", "", () => [pairs(rolesOf(receipt))]) : null,
      fold("Whole ids", "", () => [
        pairs([
          ["commit", textOf(first.sha)],
          ["tree", textOf(first.tree)],
        ]),
      ]),
    ],
    tone: "good",
  };
}

function rolesOf({ byRole }: Receipt): readonly (readonly [string, string])[] {
  return [...byRole].map(([role, usage]) => [roleOf(role), usedOf(usage).join(" · ")]);
}

function usedOf(usage: Usage): readonly string[] {
  const { total_tokens: tokens, cost } = usage;
  const parts = tokenParts(usage, amount);
  return [`${amount(tokens)} tokens${parts === "" ? "" : ` (${parts})`}`, ...(cost === null ? [] : [money(cost)])];
}

function took({ usage, ms, iterations, wasted }: Receipt): readonly string[] {
  return [
    ...usedOf(usage),
    span(ms),
    counted(iterations, "iteration"),
    ...(wasted === 0 ? [] : [counted(wasted, "wasted retry", "wasted retries")]),
  ];
}

export function taskDone([event]: readonly LoggedEvent[]): Block {
  return {
    label: "task",
    badge: badge(true, "done"),
    facts: [shortId(textOf(fieldsOf(event?.payload).sha))],
    tone: "good",
  };
}

export function taskFailed([event]: readonly LoggedEvent[]): Block {
  const { reason, detail } = fieldsOf(event?.payload);
  const body = textOf(detail) === "" ? [] : [prose(textOf(detail))];
  return { label: "task", badge: badge(false, "failed"), title: textOf(reason), body, tone: "bad" };
}

export function learning([event]: readonly LoggedEvent[]): Block {
  const { emitted, entry, reason } = fieldsOf(event?.payload);
  if (emitted === true) return { label: "learning", badge: badge(null, "proposed"), body: [prose(textOf(entry))] };
  return { label: "learning", title: "none", facts: [textOf(reason).replaceAll("_", " ")], tone: "quiet" };
}
