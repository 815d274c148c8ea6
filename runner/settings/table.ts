import type { z } from "zod";
import { setting } from "./setting.js";
import {
  api,
  contextLimit,
  costLimit,
  cpus,
  dependencies,
  distributions,
  effort,
  hosts,
  image,
  key,
  list,
  positive,
  processes,
  seconds,
  size,
  suiteMode,
  switched,
  temperature,
  text,
  url,
  whole,
  zeroIsOff,
} from "./values.js";

interface RoleWords {
  /** of its variables */
  readonly prefix: string;
  /** the value of a parameter that it lacks */
  readonly otherwise: string;
  readonly isWorker: boolean;
}

const workerWords: RoleWords = { prefix: "TILTH", otherwise: "up to the provider unless set", isWorker: true };

function otherWords(prefix: string): RoleWords {
  return { prefix, otherwise: "the worker's if it is the same model there", isWorker: false };
}

/** The worker's settings can also be written like those of the other roles. */
const asOtherRoles = (name: string) => [`TILTH_WORKER_${name}`];

/** Parameters of a request to a role's model. Null is not sent, so the provider's default applies. */
function tuningOf({ prefix, otherwise, isWorker }: RoleWords) {
  const parameter = <Parsed>(name: string, [about, range]: readonly [string, string], is: z.ZodType<Parsed, string>) =>
    setting(`${prefix}_${name}`, `${about}${isWorker ? range : ""}; ${otherwise}`, {
      is,
      aliases: isWorker ? asOtherRoles(name) : [],
    });
  return {
    reasoningEffort: parameter(
      "REASONING_EFFORT",
      ["how hard it thinks", ": none, minimal, low, medium, high, xhigh or max"],
      effort,
    ),
    maxOutputTokens: parameter("MAX_OUTPUT_TOKENS", ["tokens one reply of it may have", ""], whole(1)),
    temperature: parameter("TEMPERATURE", ["how much chance is in its replies", ", 0 to 2"], temperature),
  };
}

function endpointOf(prefix: string, model: string) {
  return {
    model: setting(`${prefix}_MODEL`, `${model}; the worker's unless set`, { is: text }),
    baseUrl: setting(`${prefix}_BASE_URL`, "its endpoint; the worker's unless set", { is: url }),
    apiKey: setting(`${prefix}_API_KEY`, "its key; the worker's if it is the same server", { is: key, secret: true }),
    api: setting(`${prefix}_API`, "its interface; the worker's if it is the same endpoint", { is: api }),
    tuning: tuningOf(otherWords(prefix)),
  };
}

/** The settings of each role's model as a person gives them. A role that leaves one out may share the worker's. */
export const endpointSettings = {
  worker: {
    baseUrl: setting("TILTH_BASE_URL", "address of the OpenAI-compatible endpoint, up to and including /v1", {
      is: url,
      required: true,
    }),
    apiKey: setting("TILTH_API_KEY", "its key; the word none for an endpoint without one", {
      is: key,
      secret: true,
      required: true,
    }),
    api: setting("TILTH_API", "the interface of its endpoint: chat, responses, or auto", {
      is: api,
      fallback: "auto",
      aliases: asOtherRoles("API"),
    }),
    model: setting("TILTH_WORKER_MODEL", "the model that edits", { is: text, required: true }),
    tuning: tuningOf(workerWords),
  },
  evaluator: endpointOf("TILTH_EVALUATOR", "the model that decides"),
  interviewer: endpointOf("TILTH_PREP", "the model that interviews"),
};

/** The settings that reach the runner as they are read. */
export const runSettings = {
  caps: {
    maxIterationsPerTask: setting("TILTH_MAX_ITERATIONS_PER_TASK", "replies of the worker a task may take", {
      is: whole(1),
      fallback: "32",
    }),
    maxWallClockMinutes: setting(
      "TILTH_MAX_WALL_CLOCK_MINUTES",
      "minutes one run may take, checked between tasks and between the calls of one reply; what --wait-for-limit waits counts for nothing",
      { is: positive, fallback: "120" },
    ),
    maxTokens: setting(
      "TILTH_MAX_TOKENS",
      "tokens a session may use (new ones and replies in full, cached ones at a tenth), checked between tasks and between the calls of one reply",
      { is: whole(1), fallback: "2000000" },
    ),
    maxCostUsd: setting(
      "TILTH_MAX_COST_USD",
      "what a session may cost, as the provider reports it or else by prices.json; 0 is no limit",
      { is: costLimit },
    ),
    maxEvaluatorCallsPerTask: setting("TILTH_MAX_EVALUATOR_CALLS_PER_TASK", "submits a task may take; 0 is no limit", {
      is: zeroIsOff,
      aliases: ["MAX_EVALUATOR_CALLS_PER_TASK"],
    }),
  },
  maxOutageMinutes: setting(
    "TILTH_MAX_OUTAGE_MINUTES",
    "minutes to wait for an endpoint that fails, or for the end of a limit",
    { is: positive, fallback: "10" },
  ),
  requestTimeoutSeconds: setting("TILTH_REQUEST_TIMEOUT_SECONDS", "how long one reply may take", {
    is: seconds,
    fallback: "900",
  }),
  stream: setting("TILTH_STREAM", "whether replies are asked for as streams: on or off", {
    is: switched,
    fallback: "off",
  }),
  maxDiffKb: setting("TILTH_MAX_DIFF_KB", "how much of a diff the evaluator is shown", {
    is: whole(1),
    fallback: "60",
  }),
  contextTokens: setting(
    "TILTH_CONTEXT_TOKENS",
    "tokens of a prompt at which old tool results are shortened; 0 is no limit",
    { is: contextLimit },
  ),
  contextFiles: setting("TILTH_CONTEXT_FILES", "files of the repo shown to the models, comma-separated", {
    is: list,
    fallback: "AGENTS.md,CLAUDE.md",
  }),
  sandbox: {
    /** null for the built one */
    image: setting("TILTH_SANDBOX_IMAGE", "an image of your own, built FROM the hands image", { is: image }),
    runtime: setting("TILTH_SANDBOX_RUNTIME", "the containers' runtime, e.g. runsc", { is: text }),
    memoryBytes: setting("TILTH_SANDBOX_MEMORY", "memory of a container", { is: size, fallback: "2g" }),
    cpus: setting("TILTH_SANDBOX_CPUS", "cores of a container; 2 unless set, or all there are if fewer", { is: cpus }),
    pids: setting("TILTH_SANDBOX_PIDS", "processes and threads of a container", { is: processes, fallback: "512" }),
    diskBytes: setting("TILTH_SANDBOX_DISK", "disk that a session's worktree may use, and an environment", {
      is: size,
      fallback: "10g",
    }),
  },
  egress: {
    /** each `name[:port]`, `*.suffix[:port]` or `address:port` */
    allowed: setting("TILTH_ALLOW_HOSTS", "hosts the worker may reach, comma-separated; none unless set", {
      is: hosts,
      unset: [],
    }),
  },
  /** repo paths; `none`: the project needs nothing; null: tilth looks for the files */
  dependencies: setting("TILTH_DEPENDENCIES", "files that say what the project needs, comma-separated, or none", {
    is: dependencies,
  }),
  /** by their normalised names */
  buildFromSource: setting("TILTH_BUILD_FROM_SOURCE", "distributions that may be built from source, comma-separated", {
    is: distributions,
    unset: [],
  }),
  baseImage: setting("TILTH_BASE_IMAGE", "base of the hands image, by digest", { is: text }),
  toolTimeoutSeconds: setting("TILTH_TOOL_TIMEOUT_SECONDS", "how long one command of the worker may take", {
    is: seconds,
    fallback: "120",
  }),
  checkTimeoutSeconds: setting("TILTH_CHECK_TIMEOUT_SECONDS", "how long one check may take", {
    is: seconds,
    fallback: "180",
  }),
  /** for all variants of one counter-check together */
  counterCheckSeconds: setting("TILTH_COUNTER_CHECK_SECONDS", "how long the counter-check of one tree may take", {
    is: seconds,
    fallback: "60",
  }),
  suite: {
    /** `hold`: tests that passed must still pass; `tell`: failures are only reported; `off`: the tests are not run */
    mode: setting("TILTH_SUITE", "the project's own tests: hold them, tell what fails, or off", {
      is: suiteMode,
      fallback: "hold",
    }),
    /** for all runs of them on one tree */
    seconds: setting("TILTH_SUITE_SECONDS", "how long the project's own tests may take on one tree", {
      is: seconds,
      fallback: "300",
    }),
  },
};

/** Every setting. Types, `tilth config`, the template of `tilth init` and the checks follow from its entry here. */
export const settingsTable = { endpoints: endpointSettings, ...runSettings };
