import { join } from "node:path";
import type { EventLog } from "../../session/log/event-log.js";
import { oneLine } from "../../text/sanitise.js";

/** Says, once for each pair, that an endpoint answers with another model than was asked for. */
export function remarkOtherModels(log: EventLog, say: (line: string) => void): void {
  const said = new Set<string>();
  log.onEvent((event) => {
    if (event.type !== "model_call" || event.payload.model_asked === undefined) return;
    const { model, model_asked: asked } = event.payload;
    const line = `tilth asked for the model ${asked}; the endpoint says that ${oneLine(model, 100)} answered; its replies are used`;
    if (!said.has(line)) say(line);
    said.add(line);
  });
}

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
