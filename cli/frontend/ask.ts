import type { Key } from "node:readline";
import { Prompt, settings } from "@clack/core";
import { Interrupted } from "../../runner/base/errors.js";
import { type Asking, begin, type Choices, noAnswer, pressed, type Reply } from "./asking.js";
import { answeredFrame, frameOf } from "./frame.js";
import { Keyboard } from "./keyboard.js";
import { Screen } from "./screen.js";
import { Suspension } from "./suspension.js";

const bracketedPaste = { on: "\u001b[?2004h", off: "\u001b[?2004l" };
const cursor = { hidden: "\u001b[?25l", shown: "\u001b[?25h" };
// Esc clears a line here; it must not break off an hour-long interview
settings.aliases.delete("escape");

export interface Question {
  /** the text above the prompt; written once, so that a long text scrolls like any other */
  readonly announce: () => Promise<void>;
  readonly choices: Choices;
}

/**
 * Returns the answer of the person at the terminal. Throws Interrupted on Ctrl-C, on abort and when the terminal is
 * gone.
 */
export async function ask({ announce, choices }: Question, signal: AbortSignal): Promise<Reply> {
  signal.throwIfAborted();
  using keyboard = new Keyboard();
  await keyboard.dropTyped();
  await announce();
  using screen = new Screen();
  screen.write(bracketedPaste.on);
  try {
    const ends = { keyboard, screen };
    const prompt = new AnswerPrompt(choices, ends, AbortSignal.any([signal, keyboard.gone]));
    using suspension = suspensionOf(prompt, ends);
    keyboard.on("suspend", () => void suspension.stop());
    await prompt.prompt();
    if (prompt.reply === null) throw new Interrupted();
    return prompt.reply;
  } finally {
    screen.write(bracketedPaste.off);
    await screen.flushed();
  }
}

interface Ends {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
}

function suspensionOf(prompt: AnswerPrompt, { keyboard, screen }: Ends): Suspension {
  return new Suspension({
    release: async () => {
      screen.write(`${bracketedPaste.off}${cursor.shown}\n`);
      await screen.flushed();
      keyboard.setRawMode(false);
    },
    take: () => {
      keyboard.takeBack();
      screen.write(`${bracketedPaste.on}${cursor.hidden}\r${prompt.frame(screen)}`);
    },
  });
}

/** Drawing, raw mode and keys are clack's; the effect of each key is ours. */
class AnswerPrompt extends Prompt<string> {
  readonly #choices: Choices;
  #asking: Asking;
  #drawn = "";

  constructor(choices: Choices, { keyboard, screen }: Ends, signal: AbortSignal) {
    super({ input: keyboard, output: screen, signal, render: () => this.frame(screen) }, false);
    this.#choices = choices;
    this.#asking = begin(choices);
    this.on("key", (_character, key) => this.#press(key));
  }

  get reply(): Reply | null {
    return this.#asking.reply;
  }

  protected override _shouldSubmit(): boolean {
    return this.#asking.reply !== null;
  }

  /** During a paste each character arrives as a key, so drawing waits for the paste's end. */
  frame(screen: Screen): string {
    if (this.#asking.pasted === null || this.state === "cancel") this.#drawn = this.#draw(screen);
    return this.#drawn;
  }

  #press(key: Key): void {
    this.#asking = pressed(this.#asking, this.#choices, key);
    if (this.#asking.reply?.kind === "end_of_input") this.state = "cancel";
  }

  #draw(screen: Screen): string {
    if (this.state === "cancel") return answeredFrame("(broken off)", screen);
    const { reply } = this.#asking;
    return reply === null ? frameOf(this.#asking, this.#choices, screen) : answeredFrame(this.#said(reply), screen);
  }

  #said(reply: Reply): string {
    if (reply.kind === "text") return reply.text;
    return reply.kind === "option" ? (this.#choices.options[reply.index] ?? "") : noAnswer;
  }
}
