import { randomBytes } from "node:crypto";
import { forModel } from "../support/sanitise.js";

/** Markers around text of others. The mark is drawn when all of the text exists, so none of its authors can know it. */
export class Fence {
  readonly mark: string;

  constructor(mark = randomBytes(8).toString("hex")) {
    this.mark = mark;
  }

  around(text: string): string {
    return `<<<${this.mark}\n${forModel(text)}\n${this.mark}>>>`;
  }
}
