import { unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { DockerWorld } from "../helpers/docker-world.js";
import { type Exec, ResidentContainer } from "../helpers/resident-container.js";
import { canMount, SmallDisk } from "../helpers/small-disk.js";

const mb = 1024 * 1024;
/** the worktree's share, for tests about the room left on the disk */
const ample = 1024 * mb;

interface Full {
  readonly what: string;
  readonly stopped: boolean;
  readonly free: number;
  readonly largest: readonly { readonly path: string; readonly bytes: number }[];
  readonly removed: readonly string[];
}

let box: ResidentContainer | null = null;
afterEach(() => box?.[Symbol.asyncDispose]());

/** Runs commands on a /workspace that is a disk of 64 MB, all of it free. */
async function watched(
  options: { files?: number } = {},
): Promise<(command: string, diskBytes?: number) => Promise<DiskExec>> {
  const started = await ResidentContainer.start(options);
  box = started;
  return async (command, disk_bytes = ample) => (await started.bash(command, { disk_bytes })) as DiskExec;
}

type DiskExec = Exec & { full: Full | null };

/** Repeats the attempt: a look at the disk may come in the middle of a command's work. */
async function until(
  isThrough: (full: Full) => boolean,
  attempt: () => Promise<DiskExec>,
): Promise<DiskExec & { full: Full }> {
  for (let left = 20; ; left -= 1) {
    const said = await attempt();
    const { full } = said;
    if (full === null) throw new Error("nothing was said of the disk");
    if (isThrough(full) || left === 0) return { ...said, full };
  }
}

const free = "df --output=avail -B1 /workspace | tail -n 1";

describe("a command that fills the disk", () => {
  test("leaves no room at all where nobody watches", async () => {
    const run = await watched();
    expect(await run("yes > big; echo over", 0)).toMatchObject({ exit: 0, full: null });
    expect(Number((await run(free, 0)).text)).toBe(0);
  });

  test("is stopped with all that it started while others still have room, and the largest file is named", async () => {
    const run = await watched();
    const said = await run(
      "(sleep 60; echo below) & setsid sleep 60 & head -c 52M /dev/zero > big; sleep 60; echo over",
    );
    expect(said).toMatchObject({ timed_out: false, full: { what: "space", stopped: true } });
    expect(said.text).toBe("");
    expect(said.killed.length).toBeGreaterThan(0);
    expect(await box?.alive()).toEqual([]);
    expect(said.full).toMatchObject({ largest: [{ path: "big" }], removed: [] });
  });

  test("at one stroke loses the large files that it made, so that there is room to go on", async () => {
    const run = await watched();
    const fill = "rm -f all; echo mine > mine; fallocate -l 60M all; sleep 60";
    const { full } = await until(
      ({ removed }) => removed.length > 0,
      () => run(fill),
    );
    expect(full).toMatchObject({ what: "space", stopped: true, removed: ["all"] });
    expect(full.free).toBeGreaterThanOrEqual(8 * mb);
    expect((await run("cat mine")).text).toBe("mine\n");
  });

  test("loses its large files at its end too, when nobody looked in time", async () => {
    const run = await watched();
    const fill = "rm -f a b; fallocate -l 30M a; fallocate -l 30M b; exec true";
    const { full } = await until(
      ({ stopped }) => !stopped,
      () => run(fill),
    );
    expect(full).toMatchObject({ what: "space", stopped: false, removed: ["a"] });
    expect(Number((await run(free)).text)).toBeGreaterThanOrEqual(8 * mb);
  });

  test("loses no file from before it, not even one that was changed and read a moment ago", async () => {
    const run = await watched();
    for (let time = 0; time < 5; time += 1) {
      const writes = "rm -f before new more; head -c 30M /dev/zero > before; stat before; echo x >> before";
      expect((await run(writes)).full).toBeNull();
      const { full } = await until(
        ({ removed }) => removed.length > 0,
        () => run("rm -f new more; fallocate -l 30M new; fallocate -l 4M more; sleep 60"),
      );
      expect(full.removed).toEqual(["new"]);
      expect((await run("stat -c %s before")).text).toBe(`${30 * mb + 2}\n`);
    }
  });

  test("is also stopped when it uses up file names alone", async () => {
    const run = await watched({ files: 4_000 });
    const said = await run("mkdir d; cd d; for n in $(seq 3500); do : > f$n; done; sleep 60");
    expect(said.full).toMatchObject({ what: "files", stopped: true });
    expect(Number((await run("df --output=iavail /workspace | tail -n 1")).text)).toBeGreaterThan(0);
  });

  test("gives the next commands a warning, and they may remove what is too much", async () => {
    const run = await watched();
    expect((await run("head -c 52M /dev/zero > big; sleep 60")).full?.stopped).toBe(true);
    expect((await run("ls")).full).toMatchObject({ what: "space", stopped: false });
    const more = await run("head -c 2M /dev/zero > more; sleep 60");
    expect(more.full).toMatchObject({ what: "space", stopped: true });
    expect((await run("sleep 0.3; rm -f big more; sleep 0.3")).full).toBeNull();
  });
});

describe("the worktree's share of the disk", () => {
  test("stops the command that exceeds it, while the disk has room", async () => {
    const run = await watched();
    const said = await run("for n in $(seq 20); do head -c 1M /dev/zero > part$n; done; sleep 60; echo all", 10 * mb);
    expect(said.full).toMatchObject({ what: "share", stopped: true, removed: [] });
    expect(said.text).not.toContain("all");
    expect((await run("true", 10 * mb)).full).toMatchObject({ what: "share", stopped: false });
    expect((await run("rm part*", 10 * mb)).full).toBeNull();
  });

  test("is reported with the command that exceeded it, when nobody looked in time", async () => {
    const run = await watched();
    const said = await until(
      ({ stopped }) => !stopped,
      () => run("rm -f all; fallocate -l 20M all; exec true", 10 * mb),
    );
    expect(said).toMatchObject({ exit: 0, full: { what: "share", stopped: false } });
  });

  test("counts what lies in the worktree, not what others write to the disk or what only looks large", async () => {
    const run = await watched();
    const said = await run(
      "truncate -s 1T sparse; head -c 8M /dev/zero > one; ln one two; ln one three; sleep 0.5",
      10 * mb,
    );
    expect(said).toMatchObject({ exit: 0, full: null });
  });
});

test("TILTH_SANDBOX_DISK sets how much the worktree may take", { timeout: 240_000 }, async () => {
  // on a disk of its own, because files that somebody else removes meanwhile would hide how much the worktree takes
  using disk = canMount ? new SmallDisk(256) : null;
  if (disk) vi.stubEnv("TMPDIR", disk.path);
  await using world = await DockerWorld.open({ diskBytes: 20 * mb }).finally(() => vi.unstubAllEnvs());
  const { signal } = new AbortController();
  await world.hands.work.start(signal);
  const filling = "for n in $(seq 30); do head -c 4M /dev/zero > part$n; sleep 0.1; done; sleep 60";
  const said = await world.hands.work.bash(filling, 60_000, signal);
  expect(said).toMatchObject({ timedOut: false, full: { what: "share", stopped: true } });
  expect(said.full?.largest[0]).toEqual({ path: "part1", bytes: 4 * mb });
  expect((await world.hands.work.bash("rm part*", 10_000, signal)).full).toBeNull();
});

test.runIf(canMount)(
  "what others remove from the disk meanwhile does not hide the worktree's growth for long",
  { timeout: 240_000 },
  async () => {
    using disk = new SmallDisk(256);
    const other = join(disk.path, "of-others");
    writeFileSync(other, Buffer.alloc(120 * mb));
    vi.stubEnv("TMPDIR", disk.path);
    await using world = await DockerWorld.open({ diskBytes: 20 * mb }).finally(() => vi.unstubAllEnvs());
    const { signal } = new AbortController();
    await world.hands.work.start(signal);
    expect((await world.hands.work.bash("echo begun > begun", 10_000, signal)).full).toBeNull();
    unlinkSync(other);
    const said = await world.hands.work.bash("head -c 60M /dev/zero > big; sleep 200", 200_000, signal);
    expect(said).toMatchObject({ timedOut: false, full: { what: "share", stopped: true } });
  },
);

test("an honest command that writes much and stays within is not disturbed", async () => {
  const run = await watched();
  const said = await run("for n in 1 2 3 4; do head -c 10M /dev/zero > $n; sleep 0.1; done; rm 1 2 3 4; echo all");
  expect(said).toMatchObject({ exit: 0, text: "all\n", full: null, killed: [] });
});
