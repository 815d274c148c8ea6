import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./package-folder.js";

const files = ["worker", "evaluator", "self-improve", "interview", "trial"] as const;
const filesOfSections = ["sections", "feedback"] as const;

/** Every template and its placeholders: first the whole files, then the `##` sections of `sections.md` and `feedback.md`. */
const templates = {
  worker: ["tools", "network"],
  evaluator: [],
  "self-improve": [],
  interview: ["tools", "replies"],
  trial: [],
  markers: [],
  "your-task": ["text"],
  "judged-task": ["text"],
  "learned-task": ["text"],
  "own-tests": ["count"],
  "own-tests-failing": ["text"],
  plan: ["text"],
  "context-file": ["path", "text"],
  "seed-context": ["text"],
  progress: ["text"],
  ledger: ["text"],
  "green-before": [],
  "red-before": [],
  diff: ["text"],
  case: ["text"],
  "seed-test": ["path", "text"],
  "check-output": ["name", "text"],
  integrity: ["text"],
  verdicts: ["text"],
  histogram: ["text"],
  "accepted-diff": ["text"],
  "plan-so-far": ["text"],
  "first-id": ["id", "number"],
  "trial-question": [],
  brief: ["text"],
  quiet: [],
  "cut-off": [],
  "cut-off-call": [],
  "after-submit": [],
  "too-many-calls": ["most"],
  "session-cap": [],
  "case-refused": ["problems"],
  "no-tree": ["problems"],
  "no-work": [],
  "too-large": ["bytes", "limit", "largest"],
  "check-failed": ["report"],
  check: ["name", "reason", "output"],
  "integrity-notes": ["notes"],
  "left-out": ["paths"],
  rejected: ["category", "concern", "evidence", "next_step"],
  "rejected-unparsed": [],
  "verdict-unreadable": ["problem"],
  "no-network": [],
  "open-network": ["hosts", "place"],
  environment: ["file", "python", "pytest", "count", "text"],
  "environment-of-tests": ["file", "python", "pytest", "count", "text"],
  "environment-restarted": [],
  folded: ["call", "chars"],
  "folded-dear": ["call", "chars"],
  "folded-unseen": ["call", "chars"],
  "folded-seed": ["chars"],
  "interview-cut-off": [],
  "interview-cut-off-call": [],
  "after-seed": [],
  "seed-refused": ["problem"],
  "seed-taken": [],
  "reading-lost": [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Templates = typeof templates;
type TemplateName = keyof Templates;
/** Templates whose only placeholder is a text. */
export type TextTemplate = { [N in TemplateName]: Templates[N] extends readonly ["text"] ? N : never }[TemplateName];
type Values<N extends TemplateName> = { readonly [P in Templates[N][number]]: string };
/** Values are required only if the template has placeholders. */
type ValuesOf<N extends TemplateName> = Templates[N] extends readonly [] ? [] : [values: Values<N>];

const placeholder = /\{\{([^{}]*)\}\}/g;

/**
 * Templates by name. Their placeholders are checked against the code at start, so that a broken one shows before a run.
 */
export class Prompts {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
    for (const [name, expected] of Object.entries(templates)) check(name, expected, texts.get(name));
    for (const name of texts.keys())
      if (!Object.hasOwn(templates, name)) throw new Error(`nothing uses the prompt ${name}`);
  }

  say<N extends TemplateName>(name: N, ...given: ValuesOf<N>): string {
    const values: Readonly<Record<string, string>> = given[0] ?? {};
    return (this.#texts.get(name) ?? "").replace(placeholder, (_, key: string) => values[key] ?? "");
  }
}

export function readPrompts(folder = join(packageFolder, "prompts")): ReadonlyMap<string, string> {
  const read = (file: string) => readFileSync(join(folder, `${file}.md`), "utf8").trim();
  const whole = files.map((file) => [file, read(file)] as const);
  return new Map([...whole, ...filesOfSections.flatMap((file) => sectionsOf(read(file)))]);
}

const shipped = new Prompts(readPrompts());

/** Every word said to a model comes from here. */
export function say<N extends TemplateName>(name: N, ...given: ValuesOf<N>): string {
  return shipped.say(name, ...given);
}

function sectionsOf(text: string): readonly (readonly [heading: string, section: string])[] {
  const [, ...parts] = text.split(/^## /m);
  return parts.map((part) => {
    const end = part.indexOf("\n");
    return [part.slice(0, end).trim(), part.slice(end).trim()];
  });
}

function check(name: string, expected: readonly string[], text: string | undefined): void {
  if (text === undefined || text === "") throw new Error(`the prompt ${name} is missing`);
  const found = new Set([...text.matchAll(placeholder)].map((match) => match[1] ?? ""));
  const unknown = [...found].filter((one) => !expected.includes(one));
  const missing = expected.filter((one) => !found.has(one));
  if (unknown.length > 0) throw new Error(`the prompt ${name} has an unknown placeholder: ${unknown.join(", ")}`);
  if (missing.length > 0) throw new Error(`the prompt ${name} lacks its placeholder: ${missing.join(", ")}`);
}
