import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";
import { loadSettings } from "../../cli/settings/settings.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { realImage } from "./image.js";

const patienceMs = 90_000;

/**
 * A dockerd of the test's own, with its own roots, socket and containerd, because no test may restart the machine's
 * engine.
 */
export class SecondEngine implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "tilth-dockerd-"));
  readonly #socket = join(this.#folder, "docker.sock");
  #daemon: ChildProcess | null = null;

  /** Starts it, with the hands image of the machine's engine. */
  static async start(): Promise<SecondEngine> {
    const second = new SecondEngine();
    try {
      await second.up();
      await second.#takeImage();
      return second;
    } catch (error) {
      await second[Symbol.asyncDispose]();
      throw error;
    }
  }

  get dockerHost(): string {
    return `unix://${this.#socket}`;
  }

  /** Starts the daemon and waits until it answers. */
  async up(): Promise<void> {
    mkdirSync(join(this.#folder, "exec"), { recursive: true });
    rmSync(join(this.#folder, "docker.pid"), { force: true });
    rmSync(join(this.#folder, "exec", "containerd", "containerd.pid"), { force: true });
    writeFileSync(join(this.#folder, "daemon.json"), "{}");
    const log = openSync(join(this.#folder, "log"), "a");
    const daemon = spawn("dockerd", this.#args(), { stdio: ["ignore", log, log] });
    this.#daemon = daemon;
    for (const end = performance.now() + patienceMs; !(await this.#answers()); await wait(50)) {
      if (daemon.exitCode !== null || performance.now() > end)
        throw new Error(`dockerd did not come up: ${this.#log()}`);
    }
  }

  /** On SIGTERM it ends its containers and containerd first; on SIGKILL it tells nobody, and both stay behind. */
  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = null;
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const ended = new Promise((resolve) => daemon.once("exit", resolve));
    daemon.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGTERM");
    for (const end = performance.now() + patienceMs; performance.now() < end; await wait(100)) {
      const left = this.#processes();
      if (left.length === 0) break;
      for (const pid of left) kill(pid);
    }
    for (const mount of this.#mounts()) execFileSync("umount", ["-l", mount]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #args(): string[] {
    const at = (name: string) => join(this.#folder, name);
    return [
      ...["--config-file", at("daemon.json"), "--host", this.dockerHost, "--pidfile", at("docker.pid")],
      ...["--data-root", at("data"), "--exec-root", at("exec"), "--live-restore=false"],
      ...["--bridge=none", "--iptables=false", "--ip-masq=false", "--shutdown-timeout=5"],
    ];
  }

  async #answers(): Promise<boolean> {
    const ping = new Docker({ socketPath: this.#socket, host: undefined, port: undefined, protocol: "http" }).ping();
    return ping.then(
      () => true,
      () => false,
    );
  }

  async #takeImage(): Promise<void> {
    const { signal } = new AbortController();
    const settings = loadSettings();
    const theirs = await Engine.connect(settings, signal);
    const ours = await Engine.connect({ ...settings, providerEnvironment: { DOCKER_HOST: this.dockerHost } }, signal);
    // saved by its tag, by which tilth finds the image
    const { RepoTags: tags } = await theirs.docker.getImage((await realImage(theirs)).id).inspect();
    const saved = await theirs.docker.getImage(tags[0] ?? "").get();
    const loaded = await ours.docker.loadImage(saved);
    for await (const _ of loaded);
  }

  /** containerd, its shims and their programs: all processes that were given one of our paths. */
  #processes(): number[] {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.filter((pid) => commandLine(pid).includes(`${this.#folder}/`)).map(Number);
  }

  #mounts(): string[] {
    const places = readFileSync("/proc/self/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" ")[1] ?? "");
    return places.filter((place) => place.startsWith(`${this.#folder}/`)).reverse();
  }

  #log(): string {
    return readFileSync(join(this.#folder, "log"), "utf8").trim().split("\n").slice(-3).join("\n");
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended meanwhile
  }
}
