import { join } from "node:path";
import type { EventLog } from "../../session/log/event-log.js";
import { oneLine } from "../../text/sanitise.js";

/** Says once for each model without a known cost that TILTH_MAX_COST_USD cannot limit it. */
export function remarkUnknownCost(log: EventLog, home: string, say: (line: string) => void): void {
  const said = new Set<string>();
  log.onEvent(({ type, payload }) => {
    if (type !== "model_call" || payload.cost !== null || said.has(payload.model)) return;
    said.add(payload.model);
    const model = oneLine(payload.model, 100);
    const prices = join(home, "prices.json");
    say(`no cost is known of ${model}, so TILTH_MAX_COST_USD cannot limit it; give its prices in ${prices}`);
  });
}
