import type { TreeId } from "../../../../base/ids.js";
import type { WarmCheck } from "./pool.js";

/** The one tree that ran in a container; null when nothing of a project did, and it is as good as a new one. */
export type OnlyTree = TreeId | null;

/** Keeps one container for the next step; whoever takes it must dispose it. */
export class ParkingPlace implements AsyncDisposable {
  #parked: { readonly check: WarmCheck; readonly ran: OnlyTree } | null = null;
  #closed = false;

  async put(check: WarmCheck, ran: OnlyTree): Promise<void> {
    await this.#clear();
    if (this.#closed) await check[Symbol.asyncDispose]();
    else this.#parked = { check, ran };
  }

  get hasClean(): boolean {
    return this.#parked?.ran === null && !this.#parked.check.container.isLost;
  }

  takeClean(): WarmCheck | null {
    if (this.#parked === null || this.#parked.ran !== null) return null;
    const { check } = this.#parked;
    this.#parked = null;
    return check.container.isLost ? null : check;
  }

  /** Takes the container in which that tree ran; one in which another tree ran is thrown away. */
  async takeOf(tree: TreeId): Promise<WarmCheck | null> {
    const parked = this.#parked;
    if (parked === null || parked.ran === null) return null;
    if (parked.ran !== tree || parked.check.container.isLost) {
      await this.#clear();
      return null;
    }
    this.#parked = null;
    return parked.check;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#clear();
  }

  async #clear(): Promise<void> {
    const parked = this.#parked;
    this.#parked = null;
    await parked?.check[Symbol.asyncDispose]();
  }
}
