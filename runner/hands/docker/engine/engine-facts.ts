import type Docker from "dockerode";
import { z } from "zod";
import { TilthError } from "../../../base/errors.js";
import { EngineNonsense } from "./engine-errors.js";
import { withinTime } from "./within-time.js";

const info = z.object({
  ID: z.string(),
  NCPU: z.number(),
  ServerVersion: z.string(),
  OSType: z.string(),
  DefaultRuntime: z.string(),
  Runtimes: z.record(z.string(), z.unknown()),
  SecurityOptions: z.array(z.string()).nullish(),
  MemoryLimit: z.boolean(),
  SwapLimit: z.boolean(),
  PidsLimit: z.boolean(),
  CpuCfsQuota: z.boolean(),
  CgroupVersion: z.string().nullish(),
  /** only podman has this */
  BuildahVersion: z.string().nullish(),
  Rootless: z.boolean().nullish(),
});

/** podman answers like Docker, but must be asked in another way for a few things. */
export type Dialect = "docker" | "podman";

export interface EngineFacts {
  readonly dialect: Dialect;
  readonly version: string;
  readonly cgroupVersion: string | null;
  readonly cpus: number;
  readonly os: string;
  readonly runtimes: readonly string[];
  readonly defaultRuntime: string;
  readonly seccomp: boolean;
  readonly rootless: boolean;
  readonly remapped: boolean;
  /** limits that the engine would accept and ignore */
  readonly discarded: readonly ("memory" | "swap" | "pids" | "cpus")[];
}

const answerWithinMs = 15_000;

export async function readEngineFacts(docker: Docker, signal: AbortSignal): Promise<EngineFacts> {
  const answer = info.safeParse(await withinTime<unknown>(docker.info(), { ms: answerWithinMs, signal }));
  if (!answer.success) throw new EngineNonsense();
  const told = answer.data;
  const options = (told.SecurityOptions ?? []).map((option) => /name=(\w+)/.exec(option)?.[1]);
  const discarded = [
    told.MemoryLimit ? [] : (["memory"] as const),
    told.SwapLimit ? [] : (["swap"] as const),
    told.PidsLimit ? [] : (["pids"] as const),
    told.CpuCfsQuota ? [] : (["cpus"] as const),
  ].flat();
  return {
    dialect: typeof told.BuildahVersion === "string" ? "podman" : "docker",
    version: told.ServerVersion,
    cgroupVersion: told.CgroupVersion ?? null,
    cpus: told.NCPU,
    os: told.OSType,
    runtimes: Object.keys(told.Runtimes),
    defaultRuntime: told.DefaultRuntime,
    seccomp: options.includes("seccomp"),
    rootless: options.includes("rootless") || told.Rootless === true,
    remapped: options.includes("userns"),
    discarded,
  };
}

/** Throws one sentence for an engine that cannot carry a session. */
export function refuseUnusable(facts: EngineFacts, runtime: string | null): void {
  const refusal = (message: string, hint: string) => new TilthError("usage", message, hint);
  const another = "use an engine that runs as root without userns-remap, and point DOCKER_HOST at it";
  if (facts.rootless) throw refusal("the engine is rootless: its containers cannot write the worktree as you", another);
  if (facts.remapped)
    throw refusal("the engine remaps user ids: its containers cannot write the worktree as you", another);
  if (facts.os !== "linux") throw refusal(`the engine runs ${facts.os} containers, not linux`, "switch it to linux");
  if (!facts.seccomp) throw refusal("the engine has no seccomp", "use an engine built with seccomp");
  if (runtime !== null && !facts.runtimes.includes(runtime))
    throw refusal(
      `the engine has no runtime ${JSON.stringify(runtime)} (it has ${facts.runtimes.join(", ")})`,
      "install it into the engine, or leave out --runtime and TILTH_SANDBOX_RUNTIME",
    );
}
