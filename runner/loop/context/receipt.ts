import type { Hands, HandsImage } from "../../hands/ports/hands.js";
import { NotIsolated, type Receipt } from "../../hands/ports/work.js";
import type { EventSink } from "../../session/log/events.js";

export interface Isolated {
  readonly role: string;
  readonly image: HandsImage;
  readonly receipt: Receipt;
}

/** Logs the receipt, passed or not; a failed one throws TilthError `infra`, and nothing may run then. */
export function recordReceipt({ role, image, receipt }: Isolated, events: EventSink): void {
  events.append("isolation_receipt", {
    role,
    image: image.id,
    runtime: image.runtime,
    passed: receipt.passed,
    items: [...receipt.items],
    left_out: [...receipt.leftOut],
    open_to: [...receipt.openTo],
  });
  if (!receipt.passed) throw new NotIsolated(role, receipt);
}

/** Until disposed, logs the receipts of containers that `hands` starts by themselves. */
export function recordReceipts(hands: Pick<Hands, "image" | "tellReceipts">, events: EventSink): Disposable {
  hands.tellReceipts((role, receipt) => recordReceipt({ role, image: hands.image, receipt }, events));
  return { [Symbol.dispose]: () => hands.tellReceipts(null) };
}
