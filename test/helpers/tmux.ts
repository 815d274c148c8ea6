import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageFolder } from "../../runner/base/package-folder.js";

interface Size {
  readonly columns: number;
  readonly rows: number;
}

const patienceMs = 40_000;

/** A real terminal with a program in it; tests read the screen as a person sees it. */
export class Terminal implements Disposable {
  #closed = false;
  readonly #folder = mkdtempSync(join(tmpdir(), "tilth-tmux-"));

  constructor(
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
    { columns, rows }: Size = { columns: 80, rows: 24 },
  ) {
    const { PATH = "", HOME = "/" } = process.env;
    const settings = Object.entries({ TERM: "screen-256color", PATH, HOME, ...env }).map(
      ([name, value]) => `${name}=${value}`,
    );
    const words = ["env", "-i", ...settings, ...command].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const size = ["-x", String(columns), "-y", String(rows)];
    const whole = `cd '${packageFolder}'; before=$(stty -g); ${words}; code=$?
      [ "$(stty -g)" = "$before" ] || echo "[terminal changed]"
      echo "[left with $code]"; sleep 600`;
    this.#tmux(["new-session", "-d", ...size, whole]);
  }

  /** Presses keys by their names: Enter, Down, C-c. */
  press(...keys: readonly string[]): void {
    for (const key of keys) this.#tmux(["send-keys", key]);
  }

  type(text: string): void {
    this.#tmux(["send-keys", "-l", text]);
  }

  /** Pastes as a terminal does that brackets pasted text. */
  paste(text: string): void {
    this.#tmux(["load-buffer", "-"], text);
    this.#tmux(["paste-buffer", "-p"]);
  }

  resize({ columns, rows }: Size): void {
    this.#tmux(["resize-window", "-x", String(columns), "-y", String(rows)]);
  }

  screen(): string {
    return this.#tmux(["capture-pane", "-p"]).trimEnd();
  }

  /** The screen with everything that was scrolled away, and with the colours. */
  everything(): string {
    return this.#tmux(["capture-pane", "-p", "-e", "-S", "-"]);
  }

  /** Waits until the screen shows that and stands still, because a program may draw in parts. Gives the screen. */
  async shows(what: string | RegExp, withinMs = patienceMs): Promise<string> {
    const deadline = Date.now() + withinMs;
    for (let before = ""; ; ) {
      const seen = this.screen();
      const shown = typeof what === "string" ? seen.includes(what) : what.test(seen);
      if (shown && seen === before) return seen;
      if (Date.now() > deadline) throw new Error(`the screen never showed ${what}:\n${seen}`);
      before = seen;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  /** Closes the window, as a person would with a mouse. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#tmux(["kill-server"]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #tmux(args: readonly string[], input?: string): string {
    const options = { encoding: "utf8" as const, ...(input === undefined ? {} : { input }) };
    return execFileSync("tmux", ["-S", join(this.#folder, "socket"), "-f", "/dev/null", "-u", ...args], options);
  }
}
