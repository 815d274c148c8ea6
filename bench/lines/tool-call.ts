import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { BareContainer } from "../bare-container.js";
import type { Line } from "../line.js";
import { pythonFiles } from "../python-files.js";
import { interleave } from "../statistics.js";
import { openWorkshop } from "../workshop.js";

export const toolCall: Line = {
  name: "tool-call",
  async measure(bench) {
    await using workshop = await openWorkshop(bench, pythonFiles(20));
    const { hands, session, worktree } = workshop;
    await using bare = await BareContainer.start(bench, session, { role: "work", worktree });
    const pair = await interleave(
      {
        "through the resident": () => hands.work.bash("true", 10_000, bench.signal),
        "spawned on the host": () => spawned(worktree),
      },
      bench.times(400),
      20,
    );
    // measured apart from the two, because the engine goes on cleaning up after it has answered
    const peers = await interleave({ "an engine exec each": () => executed(bare) }, bench.times(80));
    const of = { ...pair, ...peers };
    const value = of["through the resident"].median / of["spawned on the host"].median;
    return [{ what: "tool call, bash -c true, p50: resident / host spawn", unit: "ratio", value, bound: 1, of }];
  },
};

/** Spawns as a tool without a container would, and reads both outputs to their end. */
export async function spawned(cwd: string): Promise<void> {
  const child = spawn("bash", ["-c", "true"], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  for (const output of [child.stdout, child.stderr]) output.resume();
  await once(child, "close");
}

/** The way of harnesses that call the engine's exec for each command. */
async function executed({ container }: BareContainer): Promise<void> {
  const exec = await container.exec({ Cmd: ["bash", "-c", "true"], AttachStdout: true, AttachStderr: true });
  const stream = (await exec.start({ hijack: true, stdin: false })) as Duplex;
  stream.resume();
  await once(stream, "end");
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`an exec of the engine ended with ${ExitCode}`);
}
