import { createHash } from "node:crypto";
import { say, type TextTemplate } from "../base/prompts.js";
import type { Prompt } from "../dialogue/prompt.js";
import type { ChannelUse } from "../session/log/events/model.js";
import type { Bounded } from "../text/bounded-text.js";
import { counted } from "../text/counted.js";
import { type ContextFile, sharedOut } from "./context-files.js";
import { type EnvironmentShown, packagesText } from "./environment-text.js";
import type { Fence } from "./fence.js";

/** Assembles a prompt channel by channel; a channel without text is on the manifest but not in the prompt. */
export class PromptWriter {
  readonly #system: string;
  readonly #fence: Fence;
  readonly #parts: string[];
  readonly #channels: Record<string, ChannelUse> = {};

  constructor(system: string, fence: Fence) {
    this.#system = system;
    this.#fence = fence;
    this.#parts = [say("markers")];
    this.#note("instructions", { text: system, truncated: false });
  }

  /** Adds text of others, fenced and framed by a template. */
  material(channel: string, content: Bounded | string, template: TextTemplate): void {
    this.#framed(channel, content, (text) => say(template, { text }));
  }

  /** Adds files of the repository, within their common allowance. */
  contextFiles(files: readonly ContextFile[]): void {
    for (const { path, content } of sharedOut(files))
      this.#framed(`context_file:${path}`, content, (text) => say("context-file", { path, text }));
  }

  seedTest(path: string, content: Bounded): void {
    this.#framed("seed_test", content, (text) => say("seed-test", { path, text }));
  }

  checkOutput(name: string, content: Bounded): void {
    this.#framed(`check_output:${name}`, content, (text) => say("check-output", { name, text }));
  }

  /** Adds the installed packages; nothing if there is no environment. */
  environment(shown: EnvironmentShown | null, template: "environment" | "environment-of-tests"): void {
    const packages = shown?.packages ?? [];
    const count = counted(packages.length, "package");
    const { file = "", python = "", pytest = "" } = shown ?? {};
    this.#framed("environment", shown === null ? "" : packagesText(packages), (text) =>
      say(template, { file, python, pytest, count, text }),
    );
  }

  /** Adds words of the harness's own. */
  remark(channel: string, text: string): void {
    this.#note(channel, { text, truncated: false });
    this.#parts.push(text);
  }

  prompt(): Prompt {
    return { system: this.#system, user: this.#parts.join("\n\n"), channels: this.#channels };
  }

  #framed(channel: string, given: Bounded | string, frame: (fenced: string) => string): void {
    const content = typeof given === "string" ? { text: given, truncated: false } : given;
    this.#note(channel, content);
    if (content.text !== "") this.#parts.push(frame(this.#fence.around(content.text)));
  }

  #note(channel: string, { text, truncated }: Bounded): void {
    this.#channels[channel] = {
      present: text !== "",
      chars: text.length,
      truncated,
      sha256_8: createHash("sha256").update(text).digest("hex").slice(0, 8),
    };
  }
}
