import { TilthError } from "../errors.js";
import type { HandsImage } from "../hands/hands.js";
import type { Receipt } from "../hands/work-port.js";
import type { EventSink } from "../session/events.js";

export interface Isolated {
  readonly role: "work" | "read" | "build";
  readonly image: HandsImage;
  readonly receipt: Receipt;
}

/** Puts it on record, passed or not; a failed one is TilthError `infra`, and nothing may run then. */
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
  if (receipt.passed) return;
  const failed = receipt.items.filter((item) => !item.passed).map((item) => `${item.name} (${item.seen})`);
  throw new TilthError(
    "infra",
    `the ${role} container is not isolated: ${failed.join("; ")}`,
    "look at the engine with tilth doctor; nothing of the repository has run",
  );
}
