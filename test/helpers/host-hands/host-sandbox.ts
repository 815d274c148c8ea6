import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { pause } from "../../../runner/base/awake.js";
import { Interrupted, TilthError } from "../../../runner/base/errors.js";
import type { SessionId } from "../../../runner/base/ids.js";
import { systemProcesses } from "../../../runner/disk/processes.js";
import { type Channel, ChannelClosed, type Outputs, openChannel } from "../../../runner/hands/pipe/channel.js";
import { PipedSandbox } from "../../../runner/hands/pipe/piped-sandbox.js";
import { containerIdentity } from "../../../runner/hands/ports/identity.js";
import type { RoleView } from "../../../runner/hands/ports/sandbox.js";
import type { Receipt } from "../../../runner/hands/ports/work.js";
import type { Opening } from "../../../runner/hands/roles/starts.js";
import { type Mount, mountsFor } from "./mounts.js";
import { inNamespaces } from "./namespaces.js";
import { isDead, type Owner, writeNote } from "./owner.js";
import type { Places } from "./places.js";

const program = fileURLToPath(new URL("enter.sh", import.meta.url));
const helloWithinMs = 20_000;
const heartbeatsPerLease = 12;
const usualLeaseSeconds = 60;
const wordsKept = 4096;

export interface HostStart {
  readonly places: Places;
  readonly session: SessionId;
  /** the folder that programs see as the root */
  readonly root: string;
  readonly leaseSeconds?: number | undefined;
}

/**
 * The resident on this host, as process 1 of its own pid namespace. Nothing else keeps it apart, least of all from the
 * network.
 */
export class HostSandbox extends PipedSandbox {
  private constructor(
    view: RoleView,
    channel: Channel,
    private readonly note: string,
    private readonly leader: Owner,
    readonly receipt: Receipt,
  ) {
    super(view.role, channel);
  }

  static async start(view: RoleView, of: HostStart, signal: AbortSignal, more: Opening = {}): Promise<HostSandbox> {
    if (signal.aborted) throw new Interrupted();
    const { places, session, leaseSeconds = usualLeaseSeconds } = of;
    const child = spawnInside(of.root, mountsFor(view, places, session), leaseSeconds);
    const leader = await identityOf(child);
    const note = join(places.sandboxes, `${view.role}-${randomBytes(4).toString("hex")}`);
    const environment = "environment" in view ? (view.environment ?? null) : null;
    writeNote(note, { session, environment, process: leader });
    try {
      const channel = await channelOf(child, { signal, leaseMs: leaseSeconds * 1000, ...more });
      return new HostSandbox(view, channel, note, leader, receiptOf(more));
    } catch (error) {
      await endSandbox(note, leader);
      if (!(error instanceof ChannelClosed)) throw error;
      const problem = `the ${view.role} sandbox did not come up: ${error.message}`;
      throw new TilthError("infra", problem, "look at what it says", error);
    }
  }

  /** Ends it from outside, as whoever has the machine may. */
  kill(): void {
    for (const { pid } of childrenOf(this.leader.pid)) send(pid);
  }

  protected remove(): Promise<void> {
    return endSandbox(this.note, this.leader);
  }
}

/** On return every process of the sandbox is dead. */
export async function endSandbox(note: string, leader: Owner): Promise<void> {
  // with the first process of its pid namespace the kernel ends all others, and only then says that it is dead
  for (const each of [...childrenOf(leader.pid), leader]) {
    if (!isDead(each)) send(each.pid);
    while (!isDead(each)) await pause(2);
  }
  rmSync(`${note}.json`, { force: true });
}

function send(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended meanwhile
  }
}

function childrenOf(pid: number): readonly Owner[] {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
    return pids.map((child) => ({ pid: child, started: systemProcesses.look(child).started }));
  } catch {
    return [];
  }
}

function spawnInside(root: string, mounts: readonly Mount[], lease: number): ChildProcessWithoutNullStreams {
  const { uid, gid } = containerIdentity();
  const inside = [root, process.getuid?.() === 0 ? `${uid}:${gid}` : "", String(lease), ...mounts.flat()];
  return spawn(...inNamespaces("sh", program, ...inside), { stdio: "pipe" });
}

async function identityOf(child: ChildProcessWithoutNullStreams): Promise<Owner> {
  await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  const pid = child.pid ?? 0;
  return { pid, started: systemProcesses.look(pid).started };
}

interface ChannelWishes extends Opening {
  readonly signal: AbortSignal;
  readonly leaseMs: number;
}

function channelOf(child: ChildProcessWithoutNullStreams, { signal, leaseMs, onConnection }: ChannelWishes) {
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  const heartbeatMs = leaseMs / heartbeatsPerLease;
  const within = { signal, timeoutMs: helloWithinMs, heartbeatMs, leaseMs };
  return openChannel(stream, { ...within, outputs: outputsOf(child), onConnection });
}

/** Standard error has a pipe of its own. */
function outputsOf({ stderr }: ChildProcessWithoutNullStreams): Outputs {
  let words = "";
  stderr.setEncoding("latin1").on("data", (text: string) => {
    words = (words + text).slice(-wordsKept);
  });
  return {
    read: (chunk) => [chunk],
    get stderr() {
      return words.replace(/[^\x20-\x7e]+/g, " ").trim();
    },
  };
}

function receiptOf({ openTo = [] }: Opening): Receipt {
  const items = [{ name: "isolation", passed: true, seen: "none: processes of this host" }];
  return { passed: true, items, leftOut: [], openTo };
}
