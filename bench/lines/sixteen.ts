import { cpus } from "node:os";
import type { Bench, Line } from "../line.js";
import { pythonFiles } from "../python-files.js";
import { interleave, spreadOf } from "../statistics.js";
import { openWorkshop, type Workshop } from "../workshop.js";

const sessions = 16;
const settleMs = 3_000;

export const sixteen: Line = {
  name: "sixteen",
  async measure(bench) {
    await using all = new Workshops();
    for (let at = 0; at < sessions; at += 1) all.add(await openWorkshop(bench, pythonFiles(50)));
    for (const { hands } of all.opened) hands.checks.prepare();
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const { call } = await interleave(
      { call: (turn) => all.at(turn).hands.work.bash("true", 10_000, bench.signal) },
      bench.times(480),
      sessions,
    );
    const [work, clerk, check] = await Promise.all(
      ["work", "clerk", "check"].map((role) => memoryOf(bench, all, role)),
    );
    const kept = spreadOf([...(work ?? []), ...(clerk ?? [])]);
    const ahead = check ?? [];
    return [
      { what: "16 sessions, idle: call p95", unit: "ms", value: call.p95, bound: 10, of: { "bash -c true": call } },
      { what: "memory of a work or clerk container", unit: "MB", value: kept.p95, bound: 20, of: { container: kept } },
      {
        what: "memory of a check started ahead",
        unit: "MB",
        value: spreadOf(ahead).p95,
        bound: 60,
        of: { container: spreadOf(ahead) },
      },
      {
        what: "checks started ahead, for each core",
        unit: "ratio",
        value: ahead.length / cpus().length,
        bound: 1,
        of: {},
      },
    ];
  },
};

class Workshops implements AsyncDisposable {
  readonly opened: Workshop[] = [];

  add(workshop: Workshop): void {
    this.opened.push(workshop);
  }

  at(turn: number): Workshop {
    const found = this.opened[turn % this.opened.length];
    if (found === undefined) throw new Error("no workshop is open");
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.opened.map((workshop) => workshop[Symbol.asyncDispose]()));
  }
}

/** The memory that the engine counts for each container, in MB, without the page cache it could drop. */
async function memoryOf(bench: Bench, { opened }: Workshops, role: string): Promise<number[]> {
  const ours = new Set(opened.map(({ session }) => session as string));
  const { docker } = bench.engine;
  const filters = { label: [`tilth.role=${role}`] };
  const listed = (await docker.listContainers({ filters })).filter(({ Labels }) =>
    ours.has(Labels["tilth.session"] ?? ""),
  );
  return Promise.all(
    listed.map(async ({ Id }) => {
      const { memory_stats } = await docker.getContainer(Id).stats({ stream: false, "one-shot": true });
      const { usage, stats } = memory_stats as { usage: number; stats: Readonly<Record<string, number>> };
      return (usage - (stats.total_inactive_file ?? stats.inactive_file ?? 0)) / 1024 ** 2;
    }),
  );
}
