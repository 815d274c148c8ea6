import { z } from "zod";
import { TilthError } from "../../runner/base/errors.js";
import { apis } from "../../runner/base/settings.js";
import { allowedHost } from "../../runner/egress/allow-list.js";
import { oneLine } from "../../runner/text/sanitise.js";

export interface Setting {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly about: string;
  readonly secret: boolean;
  /** the default as a person would write it; null: none */
  readonly fallback: string | null;
  /** null if there is neither a value nor a default; a malformed value is a TilthError that names its place */
  parse(text: string | null, place: string): unknown;
}

const whole = (least: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number of at least ${least}`)
    .transform(Number)
    .refine((value) => value >= least, `must be a whole number of at least ${least}`);
/** more than any kernel allows */
const mostProcesses = 4_194_304;
const processes = whole(32).refine((value) => value <= mostProcesses, `must be at most ${mostProcesses}`);
const cpus = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, "must be a number of at least 0.01")
  .transform(Number)
  // the engine refuses less, but only when a container starts
  .refine((value) => value >= 0.01, "must be a number of at least 0.01");
const positive = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,6})?$/, "must be a number above 0")
  .transform(Number)
  .refine((value) => value > 0, "must be a number above 0");
const units: Readonly<Record<string, number>> = { "": 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
/** a longer time exceeds what Node's timers can wait, and would be over at once */
const mostSeconds = 1_000_000;
const seconds = positive.refine((value) => value <= mostSeconds, `must be at most ${mostSeconds}`);
const size = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,3})?[bkmgt]?b?$/i, "must be a size such as 300m or 2g")
  .transform((text) => {
    const unit = /[bkmgt]/i.exec(text)?.[0].toLowerCase() ?? "";
    return Math.floor(Number.parseFloat(text) * (units[unit] ?? 1));
  })
  .refine((bytes) => bytes >= 64 * 1024 ** 2, "must be at least 64m")
  .refine((bytes) => bytes <= 1024 ** 5, "must be at most 1024t");
const url = z.string().transform((text, ctx) => {
  const parsed = URL.canParse(text) ? new URL(text) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) ctx.addIssue("must be an http or https address");
  else if (parsed.username || parsed.password)
    ctx.addIssue("must not hold a user or a password; a key belongs in the API_KEY variable beside it");
  else if (parsed.search || parsed.hash) ctx.addIssue("must not have a query or a fragment");
  return text.replace(/\/+$/, "");
});
const text = z.string();
/** names that the engine accepts in a path of its API */
const image = z
  .string()
  .regex(/^(?!.*\.\.)[a-z0-9][\w.:/@-]*$/i, "must be the name of an image, with its tag or digest, or its id");
/** characters that fit an HTTP header */
const key = z.string().regex(/^[\x21-\x7e]+$/, "must be letters, digits and ASCII signs without spaces");
const list = z.string().transform((names) =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
);
const hosts = list.superRefine((names, ctx) => {
  for (const name of names)
    if (allowedHost(name) === null)
      ctx.addIssue(
        `must be hosts such as pypi.org, pypi.org:443, *.pypi.org or 10.0.0.5:5432; ${JSON.stringify(oneLine(name, 60))} is none`,
      );
});
const noPath = /^\/|^\.{1,2}$|^\.{1,2}\/|\/\.{1,2}(\/|$)|\/\/|\/$|\\/;
const dependencies = list
  .superRefine((paths, ctx) => {
    const stray = paths.find((path) => noPath.test(path) || oneLine(path, 1_000) !== path);
    if (stray !== undefined)
      ctx.addIssue(
        `must be paths of files in the repo, or the word none; ${JSON.stringify(oneLine(stray, 60))} is neither`,
      );
    else if (paths.length === 0 || (paths.length > 1 && paths.includes("none")))
      ctx.addIssue("must be paths of files in the repo, or the word none alone");
  })
  .transform((paths) => (paths[0] === "none" ? ("none" as const) : [...new Set(paths)]));
const distributions = list
  .superRefine((names, ctx) => {
    const stray = names.find((name) => !/^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/i.test(name));
    if (stray !== undefined)
      ctx.addIssue(`must be names of distributions; ${JSON.stringify(oneLine(stray, 60))} is none`);
  })
  .transform((names) => [...new Set(names.map((name) => name.toLowerCase().replace(/[._-]+/g, "-")))]);
const api = z.enum(["auto", ...apis], { message: "must be chat, responses or auto" });
const switched = z.enum(["on", "off"], { message: "must be on or off" }).transform((word) => word === "on");
const suiteMode = z.enum(["hold", "tell", "off"], { message: "must be hold, tell or off" });
const zeroIsOff = whole(0).transform((value) => (value === 0 ? null : value));
const leastContext = 1_000;
const contextLimit = zeroIsOff.refine((tokens) => tokens === null || tokens >= leastContext, {
  message: `must be 0 or at least ${leastContext}`,
});
const costLimit = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,6})?$/, "must be an amount in US dollars")
  .transform((amount) => (Number(amount) === 0 ? null : Number(amount)));
/** The values of OpenAI, OpenRouter, Google, Fireworks and Ollama; `default` is Groq's. */
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"] as const;
const effort = z.enum(efforts, { message: `must be one of ${efforts.join(", ")}` });
const mostTemperature = 2;
const temperature = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,6})?$/, `must be a number from 0 to ${mostTemperature}`)
  .transform(Number)
  .refine((value) => value <= mostTemperature, `must be a number from 0 to ${mostTemperature}`);

function setting(
  name: string,
  about: string,
  schema: z.ZodType<unknown, string>,
  fallback: string | null = null,
  more: { secret?: boolean; aliases?: readonly string[] } = {},
): Setting {
  return {
    name,
    about,
    fallback,
    secret: more.secret ?? false,
    aliases: more.aliases ?? [],
    parse(value, place) {
      if (value === null) return null;
      const result = schema.safeParse(value);
      if (result.success) return result.data;
      const why = result.error.issues[0]?.message ?? "is not valid";
      const shown = more.secret || schema === url ? "" : ` (it is ${JSON.stringify(oneLine(value, 60))})`;
      throw new TilthError("usage", `${name} ${why}${shown}`, `correct ${place}`);
    },
  };
}

const secret = { secret: true };
/** The worker's settings can also be written like those of the other roles. */
const ofWorker = (name: string) => ({ aliases: [`TILTH_WORKER_${name}`] });

export const settings: readonly Setting[] = [
  setting("TILTH_BASE_URL", "address of the OpenAI-compatible endpoint, up to and including /v1", url),
  setting("TILTH_API_KEY", "its key; the word none for an endpoint without one", key, null, secret),
  setting("TILTH_API", "the interface of its endpoint: chat, responses, or auto", api, "auto", ofWorker("API")),
  setting("TILTH_WORKER_MODEL", "the model that edits", text),
  setting(
    "TILTH_REASONING_EFFORT",
    "how hard it thinks: none, minimal, low, medium, high, xhigh or max; up to the provider unless set",
    effort,
    null,
    ofWorker("REASONING_EFFORT"),
  ),
  setting(
    "TILTH_MAX_OUTPUT_TOKENS",
    "tokens one reply of it may have; up to the provider unless set",
    whole(1),
    null,
    ofWorker("MAX_OUTPUT_TOKENS"),
  ),
  setting(
    "TILTH_TEMPERATURE",
    "how much chance is in its replies, 0 to 2; up to the provider unless set",
    temperature,
    null,
    ofWorker("TEMPERATURE"),
  ),
  setting("TILTH_EVALUATOR_MODEL", "the model that decides; the worker's unless set", text),
  setting("TILTH_EVALUATOR_BASE_URL", "its endpoint; the worker's unless set", url),
  setting("TILTH_EVALUATOR_API_KEY", "its key; the worker's if it is the same server", key, null, secret),
  setting("TILTH_EVALUATOR_API", "its interface; the worker's if it is the same endpoint", api),
  setting("TILTH_EVALUATOR_REASONING_EFFORT", "how hard it thinks; the worker's if it is the same model there", effort),
  setting(
    "TILTH_EVALUATOR_MAX_OUTPUT_TOKENS",
    "tokens one reply of it may have; the worker's if it is the same model there",
    whole(1),
  ),
  setting(
    "TILTH_EVALUATOR_TEMPERATURE",
    "how much chance is in its replies; the worker's if it is the same model there",
    temperature,
  ),
  setting("TILTH_PREP_MODEL", "the model that interviews; the worker's unless set", text),
  setting("TILTH_PREP_BASE_URL", "its endpoint; the worker's unless set", url),
  setting("TILTH_PREP_API_KEY", "its key; the worker's if it is the same server", key, null, secret),
  setting("TILTH_PREP_API", "its interface; the worker's if it is the same endpoint", api),
  setting("TILTH_PREP_REASONING_EFFORT", "how hard it thinks; the worker's if it is the same model there", effort),
  setting(
    "TILTH_PREP_MAX_OUTPUT_TOKENS",
    "tokens one reply of it may have; the worker's if it is the same model there",
    whole(1),
  ),
  setting(
    "TILTH_PREP_TEMPERATURE",
    "how much chance is in its replies; the worker's if it is the same model there",
    temperature,
  ),
  setting("TILTH_MAX_ITERATIONS_PER_TASK", "replies of the worker a task may take", whole(1), "32"),
  setting(
    "TILTH_MAX_WALL_CLOCK_MINUTES",
    "minutes one run may take, checked between tasks and between the calls of one reply; what --wait-for-limit waits counts for nothing",
    positive,
    "120",
  ),
  setting(
    "TILTH_MAX_TOKENS",
    "tokens a session may use (new ones and replies in full, cached ones at a tenth), checked between tasks and between the calls of one reply",
    whole(1),
    "2000000",
  ),
  setting(
    "TILTH_MAX_COST_USD",
    "what a session may cost, as the provider reports it or else by prices.json; 0 is no limit",
    costLimit,
  ),
  setting("TILTH_MAX_EVALUATOR_CALLS_PER_TASK", "submits a task may take; 0 is no limit", zeroIsOff, null, {
    aliases: ["MAX_EVALUATOR_CALLS_PER_TASK"],
  }),
  setting(
    "TILTH_MAX_OUTAGE_MINUTES",
    "minutes to wait for an endpoint that fails, or for the end of a limit",
    positive,
    "10",
  ),
  setting("TILTH_REQUEST_TIMEOUT_SECONDS", "how long one reply may take", seconds, "900"),
  setting("TILTH_STREAM", "whether replies are asked for as streams: on or off", switched, "off"),
  setting("TILTH_MAX_DIFF_KB", "how much of a diff the evaluator is shown", whole(1), "60"),
  setting(
    "TILTH_CONTEXT_TOKENS",
    "tokens of a prompt at which old tool results are shortened; 0 is no limit",
    contextLimit,
  ),
  setting("TILTH_CONTEXT_FILES", "files of the repo shown to the models, comma-separated", list, "AGENTS.md,CLAUDE.md"),
  setting("TILTH_SANDBOX_IMAGE", "an image of your own, built FROM the hands image", image),
  setting("TILTH_SANDBOX_RUNTIME", "the engine's runtime, e.g. runsc", text),
  setting("TILTH_SANDBOX_MEMORY", "memory of a container", size, "2g"),
  setting("TILTH_SANDBOX_CPUS", "cores of a container; 2 unless set, or all there are if fewer", cpus),
  setting("TILTH_SANDBOX_PIDS", "processes and threads of a container", processes, "512"),
  setting("TILTH_SANDBOX_DISK", "disk that a session's worktree may use, and an environment", size, "10g"),
  setting("TILTH_ALLOW_HOSTS", "hosts the worker may reach, comma-separated; none unless set", hosts),
  setting("TILTH_DEPENDENCIES", "files that say what the project needs, comma-separated, or none", dependencies),
  setting("TILTH_BUILD_FROM_SOURCE", "distributions that may be built from source, comma-separated", distributions),
  setting("TILTH_BASE_IMAGE", "base of the hands image, by digest", text),
  setting("TILTH_TOOL_TIMEOUT_SECONDS", "how long one command of the worker may take", seconds, "120"),
  setting("TILTH_CHECK_TIMEOUT_SECONDS", "how long one check may take", seconds, "180"),
  setting("TILTH_COUNTER_CHECK_SECONDS", "how long the counter-check of one tree may take", seconds, "60"),
  setting("TILTH_SUITE", "the project's own tests: hold them, tell what fails, or off", suiteMode, "hold"),
  setting("TILTH_SUITE_SECONDS", "how long the project's own tests may take on one tree", seconds, "300"),
];

export function settingNamed(name: string): Setting {
  const found = settings.find((setting) => setting.name === name);
  if (!found) throw new Error(`no setting is called ${name}`);
  return found;
}
