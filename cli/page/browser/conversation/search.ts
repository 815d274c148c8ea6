import { forModel } from "../../../../runner/text/sanitise.js";
import type { Item } from "../log/item.js";
import type { Log } from "../log/log.js";
import { parsed } from "../log/read.js";

const slice = 1_500;
const mostPainted = 2_000;

/** Searches the whole log, a slice at a time, including blocks that are not made. */
export class Search {
  #words = "";
  #items: Item[] = [];
  #looked = 0;
  #run = 0;

  constructor(
    private readonly log: Log,
    private readonly told: () => void,
  ) {}

  get words(): string {
    return this.#words;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  get isDone(): boolean {
    return this.#words === "" || this.#looked >= this.log.items.length;
  }

  start(words: string): void {
    this.#words = words.trim();
    this.#items = [];
    this.#looked = 0;
    this.#run += 1;
    if (this.#words === "") this.told();
    else this.#go(this.#run);
  }

  /** Continues after the log has grown. */
  goOn(): void {
    if (this.#words !== "") this.#go(this.#run);
  }

  #go(run: number): void {
    if (run !== this.#run) return;
    const { items, lines } = this.log;
    const end = Math.min(items.length, this.#looked + slice);
    const look = matcher(this.#words);
    for (; this.#looked < end; this.#looked += 1) {
      const item = items[this.#looked];
      if (item?.lines.some((at) => look(lines[at] ?? ""))) this.#items.push(item);
    }
    this.told();
    if (!this.isDone) setTimeout(() => this.#go(run));
  }
}

/** Looks at the raw line first, which is quick; it also has field names, which nobody searches for. */
function matcher(words: string): (line: string) => boolean {
  const asWritten = JSON.stringify(words).slice(1, -1).replaceAll("<", "\\u003c");
  const quick = new RegExp(asWritten.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "i");
  const lower = words.toLowerCase();
  return (line) => (quick.test(line) || line.includes("\\u")) && says(parsed(line), lower);
}

function says(value: unknown, lower: string): boolean {
  if (typeof value === "string")
    return value.toLowerCase().includes(lower) || forModel(value).toLowerCase().includes(lower);
  if (typeof value === "number") return String(value) === lower;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((one) => says(one, lower));
}

/** Highlights the words in `root` without changing it. */
export function paint(root: Node, words: string): void {
  if (!("highlights" in CSS) || (words === "" && !CSS.highlights.has("found"))) return;
  const ranges = rangesOf(root, words, mostPainted);
  if (ranges.length === 0) CSS.highlights.delete("found");
  else CSS.highlights.set("found", new Highlight(...ranges));
}

/** Finds the words in `root`, at most `most` times. */
export function rangesOf(root: Node, words: string, most: number): readonly Range[] {
  const lower = words.toLowerCase();
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = lower === "" ? null : texts.nextNode(); node && ranges.length < most; node = texts.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? "";
    // lower case can change a text's length, which would put a range past the end
    const length = node.nodeValue?.length ?? 0;
    for (let at = text.indexOf(lower); at !== -1; at = text.indexOf(lower, at + lower.length)) {
      const range = document.createRange();
      range.setStart(node, Math.min(at, length));
      range.setEnd(node, Math.min(at + lower.length, length));
      ranges.push(range);
    }
  }
  return ranges;
}
