import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { forTerminal } from "../../../runner/text/sanitise.js";
import { compiledDriver } from "../../helpers/compiled-driver.js";
import { scratch } from "../../helpers/scratch.js";
import { soon } from "../../helpers/soon.js";
import { Terminal } from "../../helpers/tmux.js";

interface Script {
  readonly naive?: boolean;
  readonly questions: readonly object[];
  /** a file; until it exists, only the first question is asked */
  readonly awaits?: string;
}

type Env = Readonly<Record<string, string>>;

const driver = compiledDriver("frontend-driver.ts");

/** An interview of fixed questions at a real terminal. */
class Interview extends Terminal {
  readonly #told: string;

  constructor(script: Script, env: Env = {}, size = { columns: 72, rows: 24 }) {
    const told = join(scratch(), "came.json");
    super([process.execPath, driver, JSON.stringify(script), told], env, size);
    this.#told = told;
  }

  async came(): Promise<unknown> {
    expect(await this.shows("[left with")).not.toContain("[terminal changed]");
    return this.told();
  }

  told(): unknown {
    return existsSync(this.#told) ? JSON.parse(readFileSync(this.#told, "utf8")) : null;
  }
}

const currency = { ask: "Which currency?", options: ["EUR, as in shop/invoice.py", "USD", "keep floats"] };
const else_ = { ask: "Anything else?" };

test("an option is chosen by arrow or by number, and each question shows the running total", async () => {
  using terminal = new Interview({ questions: [currency, currency, currency] });
  expect(await terminal.shows("● 1")).toMatch(
    /The model asks {2}1,234 tokens so far\n│ {2}Which currency\?\n│\n│ {2}● 1 {2}EUR/,
  );
  expect(terminal.screen()).toContain("○ 4  other: type it\n└");
  terminal.press("Down");
  await terminal.shows("● 2  USD");
  terminal.press("Enter");
  await terminal.shows("2,234 tokens");
  await terminal.shows("● 1");
  terminal.type("3");
  await terminal.shows("● 3  keep floats");
  terminal.press("Enter");
  await terminal.shows("3,234 tokens");
  await terminal.shows("● 1");
  terminal.press("Up", "Up", "Enter");
  expect(await terminal.came()).toEqual(["USD", "keep floats", "keep floats"]);
});

test('any typed text is the answer, under "other" even a number, and an empty answer is asked for again', async () => {
  using terminal = new Interview({ questions: [currency, currency, else_] });
  await terminal.shows("● 1");
  terminal.type("2 decimals, in CHF");
  await terminal.shows("● 4  other");
  terminal.press("Enter");
  await terminal.shows("2,234 tokens");
  await terminal.shows("● 1");
  terminal.press("Up");
  await terminal.shows(/● 4 {2}other: type it\n│ {2}>/);
  terminal.type("2");
  terminal.press("Enter");
  await terminal.shows("3,234 tokens");
  await terminal.shows("Enter sends it");
  terminal.press("Enter");
  await terminal.shows("nothing is typed");
  terminal.press("Enter");
  expect(await terminal.came()).toEqual(["2 decimals, in CHF", "2", "(no answer)"]);
  expect(terminal.screen()).toMatch(
    /◇ {2}What the model wrote down\n│ {2}- prices in EUR\n\n◇ {2}Open questions\n│ {2}- who rounds/,
  );
});

test("several pasted lines are one answer; Ctrl-J breaks a line, Esc clears, the cursor moves", async () => {
  using terminal = new Interview({ questions: [else_, else_] });
  await terminal.shows("Enter sends it");
  terminal.type("wrong");
  await terminal.shows("> wrong");
  terminal.press("Escape");
  await terminal.shows(/^(?![\s\S]*wrong)/);
  terminal.paste("first\n\tsecond 2\nthird\n");
  await terminal.shows(/> first\n│ {6,}second 2\n│ {4}third/);
  terminal.press("Enter");
  await terminal.shows("2,234 tokens");
  await terminal.shows("Enter sends it");
  terminal.type("ac");
  terminal.press("Left");
  terminal.type("b");
  terminal.press("End", "C-j");
  terminal.type("ü界👩‍💻");
  terminal.press("BSpace", "Enter");
  expect(await terminal.came()).toEqual(["first\n\tsecond 2\nthird", "abc\nü界👩\u200d"]);
});

test("a typed key is covered and refused in a sentence, the question comes again, and the screen never shows the key", async () => {
  using terminal = new Interview({ questions: [else_] });
  await terminal.shows("Enter sends it");
  terminal.paste("sk-live-4242424242\nand more");
  await terminal.shows("> ▪▪▪▪▪▪▪▪");
  terminal.press("Enter");
  await terminal.shows("looks like a key");
  terminal.type("it is in the vault");
  terminal.press("Enter");
  expect(await terminal.came()).toEqual(["it is in the vault"]);
  expect(terminal.everything()).not.toContain("4242");
  using naive = new Interview({ questions: [else_], naive: true });
  await naive.shows("Enter sends it");
  naive.paste("sk-live-4242424242");
  naive.press("Enter");
  expect(await naive.came()).toEqual(["sk-live-4242424242"]);
  expect(naive.everything()).toContain("4242");
  expect(terminal.everything()).toContain("it is in the vault");
});

test("a refused answer leaves no option marked that the next Enter would send", async () => {
  using terminal = new Interview({ questions: [currency] });
  await terminal.shows("● 1");
  terminal.type("sk-live-4242424242");
  terminal.press("Enter");
  await terminal.shows("looks like a key");
  expect(terminal.screen()).toContain("● 4  other");
  terminal.press("Enter", "Enter");
  expect(await terminal.came()).toEqual(["(no answer)"]);
});

test("text of the model cannot control the terminal, and none of its lines can look like tilth's own", async () => {
  const forged = "Fine?\n\u001b[2J\u001b[H\n▲  tilth asks\nMay the model read .env?\u202e\r\n\u009b31m\u0007yes";
  using terminal = new Interview({ questions: [{ ask: forged, options: ["a\n▲  tilth asks\u001b[2J", "b"] }] });
  const screen = await terminal.shows("● 1");
  expect(screen).toContain("◆  The model asks");
  expect(screen).not.toMatch(/^▲/m);
  expect(forTerminal(forged)).toMatch(/^▲ {2}tilth asks$/m);
  expect(screen).toContain(
    "│  [2J[H\n│  ▲  tilth asks\n│  May the model read .env?\n│  31myes\n│\n│  ● 1  a ▲  tilth asks[2J\n",
  );
  terminal.press("Enter");
  expect(await terminal.came()).toHaveLength(1);
});

test("tilth's own question is marked as such, and Enter alone means no", async () => {
  const permit = "May the model see config/.env?";
  using terminal = new Interview({ questions: [{ permit }, { permit }, { permit }] });
  expect(await terminal.shows("● 2  no")).toMatch(/▲ {2}tilth asks\n│ {2}May the model see config\/\.env\?/);
  terminal.press("Enter");
  await terminal.shows(/└ {2}no\n[\s\S]*● 2 {2}no/);
  terminal.type("maybe");
  terminal.press("Enter");
  await terminal.shows("type a number from 1 to 2");
  terminal.type("y");
  await terminal.shows("● 1  yes");
  terminal.press("Enter");
  await terminal.shows(/└ {2}yes\n[\s\S]*● 2 {2}no/);
  terminal.type("1");
  terminal.press("Enter");
  expect(await terminal.came()).toEqual([false, true, true]);
});

/** Lets the next question be asked, once the terminal has passed on the typed keys. */
async function asksAfter(terminal: Terminal, awaits: string): Promise<void> {
  terminal.screen();
  await new Promise((resolve) => setTimeout(resolve, 300));
  terminal.screen();
  writeFileSync(awaits, "");
}

test("keys typed before a question is shown permit nothing", async () => {
  const awaits = join(scratch(), "asks");
  using terminal = new Interview({ questions: [else_, { permit: "May it?" }], awaits });
  await terminal.shows("Enter sends it");
  terminal.type("no");
  terminal.press("Enter");
  await terminal.shows("└  no");
  terminal.type("yes");
  terminal.press("Enter");
  await asksAfter(terminal, awaits);
  expect(await terminal.shows("▲  tilth asks")).not.toContain("└  yes");
  await terminal.shows("● 2  no");
  terminal.press("Enter");
  expect(await terminal.came()).toEqual(["no", false]);
  const naively = join(scratch(), "asks");
  using naive = new Interview({ questions: [else_, { permit: "May it?" }], awaits: naively, naive: true });
  await naive.shows("Enter sends it");
  naive.type("no");
  naive.press("Enter");
  await naive.shows("└  no");
  naive.type("yes");
  naive.press("Enter");
  await asksAfter(naive, naively);
  expect(await naive.came()).toEqual(["no", true]);
});

test.each([
  ["Ctrl-C", "C-c"],
  ["the end of input", "C-d"],
])("%s breaks off the interview, and the terminal is as it was", async (_name, key) => {
  using terminal = new Interview({ questions: [currency] });
  await terminal.shows("● 1");
  terminal.press(key);
  expect(await terminal.came()).toEqual(["interrupted"]);
  expect(terminal.screen()).toContain("(broken off)");
});

test("closing the window in the middle of a question breaks off the interview too", async () => {
  using terminal = new Interview({ questions: [currency] });
  await terminal.shows("● 1");
  terminal.close();
  await soon(() => terminal.told()).toEqual(["interrupted"]);
});

test("Ctrl-C while the model thinks breaks off before the next question", async () => {
  const awaits = join(scratch(), "asks");
  using terminal = new Interview({ questions: [else_, else_], awaits });
  await terminal.shows("Enter sends it");
  terminal.type("no");
  terminal.press("Enter");
  await terminal.shows("└  no");
  terminal.press("C-c");
  await asksAfter(terminal, awaits);
  expect(await terminal.came()).toEqual(["no", "interrupted"]);
  expect(terminal.screen()).not.toContain("2,234");
});

test("in a narrow and low window every line keeps its bar, and the marked option is in sight", async () => {
  const options = Array.from(
    { length: 12 },
    (_, at) => `option ${at + 1} with words enough to fill more than one line`,
  );
  const ask = "Should the totals of invoices be rounded per line or at the end, as shop/invoice.py does it today?";
  using terminal = new Interview({ questions: [{ ask, options }] }, {}, { columns: 40, rows: 16 });
  const screen = await terminal.shows("● 1");
  for (const line of screen.split("\n").filter((line) => line !== "")) expect(line).toMatch(/^(◆|│|└| {3})/);
  terminal.type("11");
  await terminal.shows("● 11");
  terminal.resize({ columns: 60, rows: 16 });
  await terminal.shows("● 11");
  terminal.press("Down", "Enter");
  expect(await terminal.came()).toEqual([options[11]]);
});

test("in a window of a few lines, nothing that is typed scrolls away", async () => {
  const options = ["one that is long enough for two lines", "two", "three"];
  using terminal = new Interview({ questions: [{ ask: "Which?", options }] }, {}, { columns: 24, rows: 8 });
  await terminal.shows("● 1");
  terminal.type("a key is not in here but all of this is typed, word by word, and long enough to fill it");
  await terminal.shows("fill it");
  for (let at = 0; at < 3; at += 1) terminal.press("Left");
  terminal.press("Escape");
  await terminal.shows("● 1");
  expect(terminal.everything()).not.toContain("word by word");
  terminal.press("Enter");
  expect(await terminal.came()).toEqual([options[0]]);
});

test("twenty thousand pasted characters are taken within a few seconds, and the rest is left out", async () => {
  using terminal = new Interview({ questions: [else_] });
  await terminal.shows("Enter sends it");
  const started = performance.now();
  terminal.paste(`${"words and more ".repeat(2_000)}\nend`);
  expect(await terminal.shows(/more lines above/)).toContain("only the first 20,000 characters are taken");
  expect(performance.now() - started).toBeLessThan(5_000);
  terminal.press("Enter");
  expect(String(((await terminal.came()) as string[])[0]).length).toBeLessThanOrEqual(20_000);
});

test("with NO_COLOR nothing is coloured and the cursor is a character; without it, the colours fit any background", async () => {
  using plain = new Interview({ questions: [else_] }, { NO_COLOR: "1" });
  await plain.shows("Enter sends it");
  plain.type("abc");
  await plain.shows("> abc_");
  expect(codesIn(plain.everything())).toEqual([]);
  using coloured = new Interview({ questions: [else_] });
  await coloured.shows("Enter sends it");
  const used = new Set(codesIn(coloured.everything()));
  for (const code of used) expect(["0", "1", "2", "7", "31", "32", "39", "49"]).toContain(code);
  expect(used.size).toBeGreaterThan(2);
});

/** The codes of colours and weights. */
function codesIn(screen: string): string[] {
  const [, ...parts] = screen.split("\u001b[");
  return parts.flatMap((part) => part.slice(0, part.indexOf("m")).split(";"));
}

test("when the options are too long to be shown at once, the marked one can be read to its end", async () => {
  const options = [..."abcdefgh"].map((letter) => `${letter} ${`${letter}ord `.repeat(50)}THE-END-OF-${letter}`);
  using terminal = new Interview({ questions: [{ ask: "Which?", options }] });
  await terminal.shows("THE-END-OF-a");
  for (const letter of "bcdefgh") {
    terminal.press("Down");
    await terminal.shows(`THE-END-OF-${letter}`);
  }
  terminal.press("Down");
  await terminal.shows("● 9  other: type it");
  terminal.press("Down", "Enter");
  expect(await terminal.came()).toEqual([options[0]]);
});

test("a question that is left with Ctrl-Z is there again after fg, with all that was typed, and takes the next key", async () => {
  const told = join(scratch(), "came.json");
  const driver = [process.execPath, "--import", "tsx", "test/helpers/frontend-driver.ts"].join(" ");
  using terminal = new Terminal(["bash", "--norc", "--noprofile", "-i"], { PS1: "SHELL> " });
  await terminal.shows("SHELL>");
  terminal.type(`${driver} '${JSON.stringify({ questions: [else_, currency] })}' ${told}`);
  terminal.press("Enter");
  await terminal.shows("Enter sends it");
  terminal.type("half an ans");
  await terminal.shows("> half an ans");
  for (const _ of ["once", "twice"]) {
    terminal.press("C-z");
    await terminal.shows(/Stopped[^$]*\nSHELL>$/);
    terminal.type("clear; stty -a | grep -o '.icanon'; fg");
    terminal.press("Enter");
    expect(await terminal.shows(/> half an ans\n└ {2}Enter sends it.*$/)).toContain(" icanon");
  }
  terminal.type("wer");
  await terminal.shows("> half an answer");
  terminal.press("Enter");
  await terminal.shows(/Enter confirms, Ctrl-C stops$/);
  terminal.press("Down");
  await terminal.shows("● 2  USD");
  terminal.press("C-z");
  await terminal.shows(/Stopped[^$]*\nSHELL>$/);
  terminal.type("clear; fg");
  terminal.press("Enter");
  expect(await terminal.shows("● 2  USD")).toContain("○ 1  EUR");
  terminal.press("Enter");
  await terminal.shows(/What the model wrote down[^$]*SHELL>$/);
  expect(JSON.parse(readFileSync(told, "utf8"))).toEqual(["half an answer", "USD"]);
});

test("Ctrl-Z changes nothing where no shell would wake the process again", async () => {
  using terminal = new Interview({ questions: [else_] });
  await terminal.shows("Enter sends it");
  terminal.type("first");
  await terminal.shows("> first");
  terminal.press("C-z");
  await terminal.shows(/> first[^>]*> first/);
  terminal.paste("\u001a and \u001asecond");
  await terminal.shows("> first and second");
  terminal.press("Enter");
  expect(await terminal.came()).toEqual(["first and second"]);
});
