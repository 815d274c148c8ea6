import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { packageFolder } from "../../runner/base/package-folder.js";

export const liteLlmVersion = "1.106.2";

const home = join(packageFolder, ".cache", "gateway", `litellm-${liteLlmVersion}`);
const upWithinMs = 180_000;
const leaveWithinMs = 10_000;
/** Nothing listens there, so anything the gateway asks beyond the loopback fails. */
const nowhere = "http://127.0.0.1:9";

/** A model as people call it, and the server behind it. */
export interface GatewayModel {
  readonly name: string;
  /** vendor and model, as in `openai/name` */
  readonly upstream: string;
  readonly apiBase: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** LiteLLM's proxy on the loopback, without a database and without a way to anywhere else. */
export class LiteLlm implements AsyncDisposable {
  readonly baseUrl: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.baseUrl = `http://127.0.0.1:${port}/v1`;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(models: readonly GatewayModel[], key: string): Promise<LiteLlm> {
    const program = installed();
    const folder = mkdtempSync(join(tmpdir(), "tilth-gateway-"));
    // every JSON document is YAML too
    writeFileSync(join(folder, "config.yaml"), JSON.stringify(configOf(models, key), null, 2));
    const port = await freePort();
    const log = openSync(join(folder, "log"), "w");
    const where = ["--host", "127.0.0.1", "--port", String(port), "--num_workers", "1"];
    const child = spawn(program, ["--config", join(folder, "config.yaml"), ...where], {
      cwd: folder,
      env: environmentOf(folder),
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    const gateway = new LiteLlm(port, child, folder);
    try {
      await gateway.#up();
      return gateway;
    } catch (error) {
      await gateway[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** the gateway's own words, for a person who looks for a cause */
  log(): string {
    return readFileSync(join(this.#folder, "log"), "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, "close");
      this.#child.kill("SIGTERM");
      const late = setTimeout(() => this.#child.kill("SIGKILL"), leaveWithinMs);
      await ended;
      clearTimeout(late);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #up(): Promise<void> {
    const until = performance.now() + upWithinMs;
    while (performance.now() < until) {
      if (this.#child.exitCode !== null) break;
      const answer = await fetch(new URL("/health/liveliness", this.baseUrl)).catch(() => null);
      if (answer?.ok) return;
      await wait(250);
    }
    throw new Error(`the gateway did not start:\n${this.log()}`);
  }
}

/** The program's path; installs it from the package index unless it is there. */
function installed(): string {
  const program = join(home, "bin", "litellm");
  const whole = join(home, "installed");
  if (existsSync(whole)) return program;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  process.stderr.write(`installing litellm ${liteLlmVersion} from the package index\n`);
  execFileSync("python3", ["-m", "venv", home]);
  const wanted = ["--only-binary", ":all:", `litellm[proxy]==${liteLlmVersion}`];
  execFileSync(join(home, "bin", "python"), ["-m", "pip", "install", "--quiet", ...wanted], { stdio: "inherit" });
  writeFileSync(whole, "");
  return program;
}

function configOf(models: readonly GatewayModel[], key: string): unknown {
  return {
    model_list: models.map(({ name, upstream, apiBase, more }) => ({
      model_name: name,
      litellm_params: { model: upstream, api_base: apiBase, api_key: "sk-upstream", ...more },
    })),
    // a refusal must be seen and not worked around
    litellm_settings: { drop_params: false, modify_params: false, num_retries: 0, telemetry: false },
    router_settings: { num_retries: 0, disable_cooldowns: true },
    general_settings: { master_key: key },
  };
}

function environmentOf(folder: string): NodeJS.ProcessEnv {
  const local = ["MODEL_COST_MAP", "BLOG_POSTS", "ANTHROPIC_BETA_HEADERS", "AUTOROUTER_PRESETS", "POLICY_TEMPLATES"];
  const bundled = Object.fromEntries(local.map((name) => [`LITELLM_LOCAL_${name}`, "True"]));
  return {
    ...bundled,
    PATH: process.env.PATH,
    HOME: folder,
    TMPDIR: folder,
    LITELLM_MODE: "PRODUCTION",
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: "127.0.0.1",
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("there is no free port");
  return address.port;
}
