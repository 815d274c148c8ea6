import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { SessionEgress } from "../../runner/app/running/session-egress.js";
import { BareContainer } from "../bare-container.js";
import type { Bench, Line, Reading } from "../line.js";
import { pythonFiles } from "../python-files.js";
import { interleave } from "../statistics.js";
import { openWorkshop, type Workshop } from "../workshop.js";

const megabytes = 64;
/** a line of one gigabit a second */
const megabytesPerSecond = 125;
/** on the loopback, but not a name of the container itself, for which programs use no proxy */
const host = "127.0.0.2";

export const egress: Line = {
  name: "egress",
  async measure(bench) {
    await using upstream = await Upstream.open();
    await using wayOut = SessionEgress.open({ allowed: [upstream.at], proxies: { https: null, http: null, none: [] } });
    await using workshop = await openWorkshop(bench, pythonFiles(20), wayOut);
    const { session, worktree } = workshop;
    const onHost = { role: "work", worktree } as const;
    await using bare = await BareContainer.start(bench, session, onHost, { NetworkMode: "host" });
    const program = `import urllib.request as u; print(len(u.urlopen("http://${upstream.at}/").read()))`;
    const fetched = await interleave(
      {
        "through the channel": () => fetching(workshop, program, bench),
        "with the host's network": () => bare.time(["python3", "-c", program]),
      },
      bench.times(20),
    );
    return [
      {
        what: `${megabytes} MB over a gigabit line, p50: through the channel / the engine's host network`,
        unit: "ratio",
        value: fetched["through the channel"].median / fetched["with the host's network"].median,
        bound: 1.5,
        of: fetched,
      },
      await duringTransfer(workshop, upstream, bench),
    ];
  },
};

async function fetching({ hands }: Workshop, program: string, bench: Bench): Promise<void> {
  const { exit, head } = await hands.work.bash(`python -c '${program}'`, 60_000, bench.signal);
  if (exit !== 0) throw new Error(`fetching ended with ${exit}: ${Buffer.from(head)}`);
}

/** Nothing but file work can come while a command runs. */
async function duringTransfer({ hands }: Workshop, { at }: Upstream, bench: Bench): Promise<Reading> {
  const reading = (name: string) =>
    interleave({ [name]: () => hands.work.readFile({ path: ".git", maxBytes: 10 }, bench.signal) }, bench.times(300));
  const alone = await reading("nothing else going on");
  const loop = `python -c 'import urllib.request as u\nfor _ in range(1000): u.urlopen("http://${at}/").read()'`;
  const stopping = new AbortController();
  const transfer = hands.work.bash(loop, 120_000, AbortSignal.any([stopping.signal, bench.signal]));
  const during = await reading("during a transfer");
  stopping.abort();
  await transfer.catch(() => undefined);
  return {
    what: "a file read while a program fetches without end, p95",
    unit: "ms",
    value: during["during a transfer"]?.p95 ?? null,
    bound: 20,
    of: { ...alone, ...during },
  };
}

async function* paced(): AsyncGenerator<Buffer> {
  const megabyte = Buffer.alloc(1024 * 1024, "x");
  const began = performance.now();
  for (let sent = 0; sent < megabytes; sent += 1) {
    const early = began + (sent / megabytesPerSecond) * 1000 - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    yield megabyte;
  }
}

class Upstream implements AsyncDisposable {
  private constructor(
    private readonly server: Server,
    readonly at: string,
  ) {}

  static async open(): Promise<Upstream> {
    // the program that asks may be stopped at any moment
    const server = createServer((_, answer) => void pipeline(paced(), answer).catch(() => undefined));
    server.listen(0, host);
    await once(server, "listening");
    return new Upstream(server, `${host}:${(server.address() as AddressInfo).port}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }
}
