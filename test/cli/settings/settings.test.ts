import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadModelSettings, loadSettings, readRawSettings } from "../../../cli/settings/settings.js";
import { TilthError } from "../../../runner/base/errors.js";
import { listed } from "../../../runner/settings/setting.js";
import { settingsTable } from "../../../runner/settings/table.js";
import { scratch, thrownBy } from "../../helpers/scratch.js";

type Env = Record<string, string>;

const endpoint = {
  TILTH_BASE_URL: "https://models.example/v1",
  TILTH_API_KEY: "sk-worker-key-0001",
  TILTH_WORKER_MODEL: "worker",
};

function load(env: Env = {}, needsEndpoint = false) {
  const read = needsEndpoint ? loadModelSettings : loadSettings;
  return read({ TILTH_HOME: env.TILTH_HOME ?? scratch(), ...env });
}

function refusal(env: Env, needsEndpoint = false): TilthError {
  const error = thrownBy(() => load(env, needsEndpoint));
  if (!(error instanceof TilthError)) throw error;
  expect(error.code).toBe("usage");
  expect(error.message).not.toContain("\n");
  return error;
}

function homeWith(file: string): string {
  const home = scratch();
  writeFileSync(join(home, ".env"), file);
  return home;
}

const garbage: Record<string, readonly string[]> = {
  TILTH_BASE_URL: ["models.example", "ftp://models.example/v1", "http://", "https://h/v1?key=sk-1", "https://h/v1#x"],
  TILTH_API_KEY: ["two words", "sk-\u2026", "sk-\u00e9"],
  TILTH_API: ["completions", "Chat", "1"],
  TILTH_REASONING_EFFORT: ["hihg", "HIGH", "5", "very high"],
  TILTH_MAX_OUTPUT_TOKENS: ["0", "-1", "8k", "1.5"],
  TILTH_TEMPERATURE: ["-1", "2.1", "warm", "1e0", "0,5"],
  TILTH_MAX_ITERATIONS_PER_TASK: ["0", "-1", "1.5", "many", "1e3", "0x10", "9".repeat(30)],
  TILTH_MAX_WALL_CLOCK_MINUTES: ["0", "-5", "two hours", "Infinity", "NaN"],
  TILTH_MAX_TOKENS: ["0", "2,000,000", "2M"],
  TILTH_MAX_COST_USD: ["-1", "$5", "five"],
  TILTH_MAX_EVALUATOR_CALLS_PER_TASK: ["-1", "off"],
  TILTH_MAX_OUTAGE_MINUTES: ["0", "x"],
  TILTH_REQUEST_TIMEOUT_SECONDS: ["0", "x", "99999999"],
  TILTH_STREAM: ["1", "yes", "ON", "true"],
  TILTH_MAX_DIFF_KB: ["0", "60k"],
  TILTH_CONTEXT_TOKENS: ["128k", "-1", "1", "999", "1e5"],
  TILTH_SANDBOX_MEMORY: ["2x", "lots", "-2g", "1m", "2", "99999999999t"],
  TILTH_SANDBOX_DISK: ["10 g", "0"],
  TILTH_SANDBOX_IMAGE: ["two words", "../x", "a?b", "-x", "ümlaut:1", "a/../b"],
  TILTH_ALLOW_HOSTS: ["https://pypi.org", "*", "pypi.org:0", "10.0.0.5", "pypi.org,a b"],
  TILTH_DEPENDENCIES: ["/etc/passwd", "../x.txt", "a/../../b", "a//b", "dev/", ",", "none,a.txt", "a\\b", "."],
  TILTH_BUILD_FROM_SOURCE: ["-e", "numpy==1", "a b", "https://x", "."],
  TILTH_SANDBOX_CPUS: ["0", "two", "0.001"],
  TILTH_SANDBOX_PIDS: ["1", "x", "9".repeat(12)],
  TILTH_TOOL_TIMEOUT_SECONDS: ["0", "x", "99999999"],
  TILTH_CHECK_TIMEOUT_SECONDS: ["0", "x", "99999999"],
  TILTH_COUNTER_CHECK_SECONDS: ["0", "x", "99999999"],
  TILTH_SUITE: ["on", "HOLD", "0"],
  TILTH_SUITE_SECONDS: ["0", "x", "99999999"],
};
const sameAs: Record<string, string> = {
  TILTH_EVALUATOR_BASE_URL: "TILTH_BASE_URL",
  TILTH_PREP_BASE_URL: "TILTH_BASE_URL",
  TILTH_EVALUATOR_API_KEY: "TILTH_API_KEY",
  TILTH_PREP_API_KEY: "TILTH_API_KEY",
  TILTH_EVALUATOR_API: "TILTH_API",
  TILTH_EVALUATOR_REASONING_EFFORT: "TILTH_REASONING_EFFORT",
  TILTH_EVALUATOR_MAX_OUTPUT_TOKENS: "TILTH_MAX_OUTPUT_TOKENS",
  TILTH_EVALUATOR_TEMPERATURE: "TILTH_TEMPERATURE",
  TILTH_PREP_API: "TILTH_API",
  TILTH_PREP_REASONING_EFFORT: "TILTH_REASONING_EFFORT",
  TILTH_PREP_MAX_OUTPUT_TOKENS: "TILTH_MAX_OUTPUT_TOKENS",
  TILTH_PREP_TEMPERATURE: "TILTH_TEMPERATURE",
};
/** settings for which any text is valid */
const free = /_MODEL$|^TILTH_CONTEXT_FILES$|^TILTH_SANDBOX_RUNTIME$|^TILTH_BASE_IMAGE$/;

describe("a value", () => {
  test.each(
    listed(settingsTable)
      .map(({ name }) => name)
      .filter((name) => !free.test(name)),
  )("is refused at once when it is garbage, naming %s and where it was set", (name) => {
    const values = garbage[sameAs[name] ?? name] ?? [];
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      const error = refusal({ [name]: value });
      expect(error.message).toContain(`${name} must`);
      expect(error.hint).toBe(`correct ${name} in the environment`);
    }
  });

  test("from the settings file is refused with that file's name when it is garbage", () => {
    const home = homeWith("TILTH_MAX_TOKENS=lots\n");
    expect(refusal({ TILTH_HOME: home }).hint).toBe(`correct TILTH_MAX_TOKENS in ${home}/.env`);
  });

  test("from the environment wins over the file's, and the file's over the default", () => {
    const TILTH_HOME = homeWith("TILTH_MAX_TOKENS=200\nTILTH_MAX_DIFF_KB=7\n");
    const { caps, maxDiffKb } = load({ TILTH_HOME, TILTH_MAX_TOKENS: "300" });
    expect([caps.maxTokens, maxDiffKb, caps.maxIterationsPerTask]).toEqual([300, 7, 32]);
  });

  test.each([
    ["TILTH_MAX_COST_UDS=5", "write TILTH_MAX_COST_USD there, or remove that line"],
    ["TILTH_MAX_TOKEN=5", "write TILTH_MAX_TOKENS there, or remove that line"],
    ["TILTH_HOME=/elsewhere", "remove that line"],
    ["TILTH_WHATEVER_THIS_IS=", "remove that line"],
  ])("whose TILTH name does not belong in the settings file is refused: %s", (line, hint) => {
    const TILTH_HOME = homeWith(`OTHER_TOOLS=1\n${line}\n`);
    const [name] = line.split("=");
    expect(refusal({ TILTH_HOME })).toMatchObject({
      message: `${name} in ${TILTH_HOME}/.env is no setting that belongs there`,
      hint,
    });
    writeFileSync(join(TILTH_HOME, ".env"), "OTHER_TOOLS=1\nMAX_EVALUATOR_CALLS_PER_TASK=2\n");
    expect(load({ TILTH_HOME }).caps.maxEvaluatorCallsPerTask).toBe(2);
  });

  test("that is blank counts as not set", () => {
    const TILTH_HOME = homeWith("TILTH_MAX_TOKENS=200\n");
    expect(load({ TILTH_HOME, TILTH_MAX_TOKENS: "  " }).caps.maxTokens).toBe(200);
    expect(refusal({ ...endpoint, TILTH_API_KEY: " \t" }, true).message).toBe("TILTH_API_KEY is not set");
  });

  test("is read from the home's settings file only, whatever the current folder holds", () => {
    const elsewhere = scratch();
    writeFileSync(join(elsewhere, ".env"), "TILTH_MAX_TOKENS=5\n");
    const before = process.cwd();
    process.chdir(elsewhere);
    try {
      expect(load().caps.maxTokens).toBe(2_000_000);
    } finally {
      process.chdir(before);
    }
  });

  test("may be a size as the engine writes it", () => {
    const bytes = (size: string) => load({ TILTH_SANDBOX_MEMORY: size }).sandbox.memoryBytes;
    expect(["300m", "2g", "2G", "1.5g", "67108864"].map(bytes)).toEqual([
      300 * 1024 ** 2,
      2 * 1024 ** 3,
      2 * 1024 ** 3,
      1.5 * 1024 ** 3,
      64 * 1024 ** 2,
    ]);
  });

  test("of zero removes a limit where that is allowed", () => {
    const { caps } = load({ TILTH_MAX_COST_USD: "0", TILTH_MAX_EVALUATOR_CALLS_PER_TASK: "0" });
    expect([caps.maxCostUsd, caps.maxEvaluatorCallsPerTask]).toEqual([null, null]);
    const context = (TILTH_CONTEXT_TOKENS: string) => load({ TILTH_CONTEXT_TOKENS }).contextTokens;
    expect([context("0"), context(""), context("1000")]).toEqual([null, null, 1_000]);
    expect(load({ TILTH_MAX_COST_USD: "0.25" }).caps.maxCostUsd).toBe(0.25);
  });

  test("under an older name counts when the newer one is not set, and a refusal uses the name that was set", () => {
    const calls = (env: Env) => load(env).caps.maxEvaluatorCallsPerTask;
    expect(calls({ MAX_EVALUATOR_CALLS_PER_TASK: "3" })).toBe(3);
    expect(calls({ MAX_EVALUATOR_CALLS_PER_TASK: "3", TILTH_MAX_EVALUATOR_CALLS_PER_TASK: "5" })).toBe(5);
    expect(refusal({ MAX_EVALUATOR_CALLS_PER_TASK: "x" }).hint).toContain("correct MAX_EVALUATOR");
  });
});

describe("the endpoint", () => {
  test("is named in full when it is missing, and only where it is needed", () => {
    expect(refusal({}, true).message).toBe("TILTH_BASE_URL, TILTH_API_KEY, TILTH_WORKER_MODEL are not set");
    expect(load().endpoints).toBeNull();
  });

  test("serves every role unless a role has its own", () => {
    const { endpoints } = load({ ...endpoint, TILTH_EVALUATOR_MODEL: "judge" }, true);
    const tuning = { reasoningEffort: null, maxOutputTokens: null, temperature: null };
    const shared = { baseUrl: "https://models.example/v1", apiKey: "sk-worker-key-0001", api: "auto", tuning };
    const worker = { ...shared, model: "worker" };
    expect(endpoints).toEqual({ worker, evaluator: { ...worker, model: "judge" }, interviewer: worker });
  });

  test("uses the named interface for every role that names no other and has no endpoint of its own", () => {
    const apisOf = (env: Env) => {
      const { endpoints } = load({ ...endpoint, TILTH_API: "responses", ...env }, true);
      return [endpoints?.worker.api, endpoints?.evaluator.api, endpoints?.interviewer.api];
    };
    expect(apisOf({})).toEqual(["responses", "responses", "responses"]);
    expect(apisOf({ TILTH_EVALUATOR_MODEL: "judge" })).toEqual(["responses", "responses", "responses"]);
    const elsewhere = { TILTH_EVALUATOR_BASE_URL: "https://other.example/v1", TILTH_EVALUATOR_API_KEY: "none" };
    expect(apisOf(elsewhere)).toEqual(["responses", "auto", "responses"]);
    expect(apisOf({ TILTH_PREP_API: "chat" })).toEqual(["responses", "responses", "chat"]);
  });

  test("takes the worker's settings also under names like those of the other roles", () => {
    const named = {
      TILTH_WORKER_API: "responses",
      TILTH_WORKER_REASONING_EFFORT: "low",
      TILTH_WORKER_MAX_OUTPUT_TOKENS: "4096",
      TILTH_WORKER_TEMPERATURE: "0.5",
    };
    const { endpoints } = load({ ...endpoint, ...named }, true);
    const tuning = { reasoningEffort: "low", maxOutputTokens: 4096, temperature: 0.5 };
    expect(endpoints?.worker).toMatchObject({ api: "responses", tuning });
    expect(load({ ...endpoint, ...named, TILTH_API: "chat" }, true).endpoints?.worker.api).toBe("chat");
  });

  test("of a role on another server gets only its own key", () => {
    const elsewhere = { ...endpoint, TILTH_EVALUATOR_BASE_URL: "https://other.example/v1" };
    const error = refusal(elsewhere, true);
    expect(error.message).toContain("TILTH_EVALUATOR_API_KEY is not set");
    expect(error.message + error.hint).not.toContain("sk-worker");
    const own = load({ ...elsewhere, TILTH_EVALUATOR_API_KEY: "sk-own" }, true);
    expect(own.endpoints?.evaluator.apiKey).toBe("sk-own");
    const sameServer = load({ ...endpoint, TILTH_EVALUATOR_BASE_URL: "https://models.example/v2" }, true);
    expect(sameServer.endpoints?.evaluator.apiKey).toBe("sk-worker-key-0001");
  });

  test.each(["http://models.example/v1", "https://models.example:8443/v1", "https://models.example.evil/v1"])(
    "counts as another server at %s",
    (TILTH_PREP_BASE_URL) => {
      expect(refusal({ ...endpoint, TILTH_PREP_BASE_URL }, true).message).toContain("TILTH_PREP_API_KEY is not set");
    },
  );

  test("has no key when the key is the word none", () => {
    for (const none of ["none", "NONE"])
      expect(load({ ...endpoint, TILTH_API_KEY: none }, true).endpoints?.worker.apiKey).toBeNull();
  });

  test("is refused without being repeated when its address holds a user or a password", () => {
    for (const TILTH_BASE_URL of ["https://ada:s3cret@models.example/v1", "https://s3cret@models.example/v1"]) {
      const error = refusal({ ...endpoint, TILTH_BASE_URL }, true);
      expect(error.message).toContain("must not hold a user or a password");
      expect(error.message + error.hint).not.toContain("s3cret");
    }
  });

  test("is refused without repeating its key when that fits no header", () => {
    const error = refusal({ TILTH_API_KEY: "s3cret word" });
    expect(error.message + error.hint).not.toContain("s3cret");
  });
});

describe("a role's tuning", () => {
  const tuned = {
    ...endpoint,
    TILTH_REASONING_EFFORT: "high",
    TILTH_MAX_OUTPUT_TOKENS: "32000",
    TILTH_TEMPERATURE: "0",
  };
  const tuningOf = (role: "worker" | "evaluator" | "interviewer", env: Env) => load(env, true).endpoints?.[role].tuning;
  const workers = { reasoningEffort: "high", maxOutputTokens: 32_000, temperature: 0 };
  const none = { reasoningEffort: null, maxOutputTokens: null, temperature: null };

  test("is left to the provider unless it is set", () => {
    expect(tuningOf("worker", endpoint)).toEqual(none);
  });

  test("is the worker's for a role that asks the same model at the same address", () => {
    expect(tuningOf("worker", tuned)).toEqual(workers);
    const named = { ...tuned, TILTH_EVALUATOR_MODEL: "worker", TILTH_EVALUATOR_BASE_URL: "https://models.example/v1/" };
    for (const env of [tuned, named]) expect(tuningOf("evaluator", env)).toEqual(workers);
    expect(tuningOf("interviewer", tuned)).toEqual(workers);
  });

  test("is not the worker's for another model, nor for the same name at another address", () => {
    expect(tuningOf("evaluator", { ...tuned, TILTH_EVALUATOR_MODEL: "judge" })).toEqual(none);
    expect(tuningOf("interviewer", { ...tuned, TILTH_PREP_BASE_URL: "https://models.example/v2" })).toEqual(none);
  });

  test("is the role's own, each setting by itself, whatever the worker has", () => {
    const own = { ...tuned, TILTH_EVALUATOR_REASONING_EFFORT: "xhigh", TILTH_PREP_TEMPERATURE: "1.5" };
    expect(tuningOf("evaluator", own)).toEqual({ ...workers, reasoningEffort: "xhigh" });
    expect(tuningOf("interviewer", own)).toEqual({ ...workers, temperature: 1.5 });
    const other = { ...own, TILTH_EVALUATOR_MODEL: "judge" };
    expect(tuningOf("evaluator", other)).toEqual({ ...none, reasoningEffort: "xhigh" });
    expect(tuningOf("worker", own)).toEqual(workers);
  });
});

describe("the home", () => {
  test("is a real path, also where nothing exists yet", () => {
    const folder = scratch();
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "link"));
    expect(readRawSettings({ TILTH_HOME: join(folder, "link", "not", "there") }).home).toBe(
      join(folder, "real", "not", "there"),
    );
  });

  test("keeps its first setting when the settings file begins with a byte order mark", () => {
    expect(load({ TILTH_HOME: homeWith("\ufeffTILTH_MAX_TOKENS=7\n") }).caps.maxTokens).toBe(7);
  });

  test("is refused with a remedy that helps when it cannot be one", () => {
    const file = join(homeWith("x"), ".env");
    expect(refusal({ TILTH_HOME: file }).hint).toBe(`set TILTH_HOME to a folder: ${file} is none`);
    const folder = scratch();
    symlinkSync(".env", join(folder, ".env"));
    const anew = `mv '${folder}/.env' '${folder}/.env.old' && tilth init`;
    expect(refusal({ TILTH_HOME: folder })).toMatchObject({ hint: `write it anew: ${anew}` });
  });

  test("is refused when its settings file is no plain file of a sensible size", () => {
    const folder = scratch();
    mkdirSync(join(folder, ".env"));
    expect(refusal({ TILTH_HOME: folder }).message).toContain("not a plain file");
    expect(statSync(join(folder, ".env")).isDirectory()).toBe(true);
    expect(refusal({ TILTH_HOME: homeWith("#".repeat(70_000)) }).message).toContain("not a plain file");
  });
});

describe("the prices", () => {
  const withPrices = (text: string) => {
    const home = scratch();
    writeFileSync(join(home, "prices.json"), text);
    return home;
  };

  test("are those of prices.json in the home, and none without that file", () => {
    const models = { "vendor/model": { input: 1.25, cached: 0.125, cache_write: 1.5, output: 10 } };
    expect(load({ TILTH_HOME: withPrices(JSON.stringify({ v: 1, models })) }).prices).toEqual(models);
    expect(load({ TILTH_HOME: withPrices(`\ufeff${JSON.stringify({ v: 1, models })}`) }).prices).toEqual(models);
    expect(load().prices).toEqual({});
  });

  test.each([
    ["", "is not JSON"],
    ["{'v': 1}", "is not JSON"],
    ['{"v": 1, "models": {"m": {"input": 1}}}', "is not as it must be: models.m.output: "],
    ['{"v": 1, "models": {"a\\nb": {"input": 1}}}', "is not as it must be: models.a b.output: "],
    ['{"v": 3, "models": {}}', "is not as it must be: v: "],
  ])("are refused in one sentence with an example when they are malformed: %s", (text, says) => {
    const home = withPrices(text);
    const { message, hint } = refusal({ TILTH_HOME: home });
    expect(message).toContain(`${home}/prices.json ${says}`);
    const example = hint.replace("write US dollars per million tokens: ", "");
    expect(load({ TILTH_HOME: withPrices(example) }).prices).toHaveProperty("<name>");
  });

  test("are refused without waiting when they are no plain file of a sensible size", () => {
    const folder = scratch();
    mkdirSync(join(folder, "prices.json"));
    for (const home of [folder, withPrices(" ".repeat(300_000))])
      expect(refusal({ TILTH_HOME: home })).toMatchObject({
        message: `${home}/prices.json is not a plain file of at most 256 KB`,
        hint: expect.stringMatching(/^move it away: mv /),
      });
  });
});
