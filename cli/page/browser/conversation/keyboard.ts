import { button, el } from "../elements/dom.js";
import { toggleTheme } from "../elements/theme.js";

interface Keys {
  readonly step: (by: number) => void;
  readonly task: (by: number) => void;
  readonly search: () => void;
  readonly leave: () => void;
}

const says: readonly (readonly [keys: string, does: string])[] = [
  ["j  k", "next, previous event"],
  ["n  p", "next, previous task"],
  ["/", "search; Enter and Shift+Enter step through what was found"],
  ["t", "light or dark"],
  ["?", "this help"],
  ["Esc", "close, clear"],
];

export function listenToKeys(keys: Keys): void {
  const acts: Readonly<Record<string, () => void>> = {
    j: () => keys.step(1),
    k: () => keys.step(-1),
    n: () => keys.task(1),
    p: () => keys.task(-1),
    t: toggleTheme,
    "/": keys.search,
    "?": toggleHelp,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (!closeHelp()) keys.leave();
      return;
    }
    const typing = event.target instanceof HTMLInputElement;
    const act = typing || !Object.hasOwn(acts, event.key) ? undefined : acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

export function toggleHelp(): void {
  if (closeHelp()) return;
  const rows = says.flatMap(([key, does]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, does)]);
  const close = button({}, "close", closeHelp);
  const title = el("h2", { id: "help-title" }, "Keyboard");
  const attributes = { class: "help", role: "dialog", "aria-labelledby": "help-title" };
  document.body.append(el("div", attributes, title, el("dl", {}, ...rows), close));
  close.focus();
}

function closeHelp(): boolean {
  const help = document.querySelector(".help");
  help?.remove();
  return help !== null;
}
