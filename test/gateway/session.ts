import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { demoScript } from "../../runner/demo/demo-script.js";
import type { Script } from "../../runner/demo/script/script.js";
import { type Env, Tilth } from "../helpers/tilth.js";
import { disturbed } from "./disturbed.js";
import { type Expectation, NotSeen } from "./expectation.js";
import type { Dialect, GatewayStage } from "./stage.js";

const tasks = 5;

/** The demo's five tasks, run as a person runs them against an endpoint: the command line, with containers. */
export function sessionsOf(stage: GatewayStage, dialect: Dialect): Expectation[] {
  const wire = dialect === "openai" ? "openai" : "anthropic";
  return [
    { name: `${dialect}: a whole session`, holds: () => runsToItsEnd(stage, dialect, demoScript) },
    {
      name: `${dialect}: a whole session that meets a 429, a cut reply and a full context`,
      holds: () => runsToItsEnd(stage, dialect, disturbed(demoScript, wire)),
    },
    {
      name: `${dialect}: streamed: a whole session that meets a 429, a cut reply and a full context`,
      holds: () => runsToItsEnd(stage, dialect, disturbed(demoScript, wire), { TILTH_STREAM: "on" }),
    },
  ];
}

async function runsToItsEnd(stage: GatewayStage, dialect: Dialect, script: Script, env: Env = {}): Promise<string> {
  stage.programme.play(script);
  using tilth = new Tilth({ ...stage.env(dialect), ...env });
  const { code, stdout, stderr, ms } = await tilth.run(["demo", "--live"]);
  const commits = stdout.match(/^[0-9a-f]{7,} T-\d+/gm)?.length ?? 0;
  const lines = logIn(tilth.root);
  const count = (type: string) => lines.filter((line) => line.includes(`"type":"${type}"`)).length;
  const seen = [
    `exit ${code}, ${commits} commits in ${Math.round(ms / 1_000)} s`,
    `${count("model_call")} replies, ${count("model_retry")} retries, ${count("context_folded")} folds`,
  ].join("; ");
  if (code === 0 && commits === tasks) return seen;
  const refusal = dialect === "openai" ? undefined : stage.claudes[dialect].refusals.at(-1);
  throw new NotSeen(`${seen}; ${refusal ?? stderr.trim().split("\n").at(-1)}`);
}

function logIn(root: string): string[] {
  const logs = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("events.jsonl"));
  return logs.flatMap((name) => readFileSync(join(root, name), "utf8").split("\n"));
}
