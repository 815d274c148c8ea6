import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitId, type HostPath, hostPath } from "../../runner/base/ids.js";
import { SessionLock } from "../../runner/session/lock/lock.js";
import { EventLog } from "../../runner/session/log/event-log.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import type { Task } from "../../runner/session/state/prd.js";
import { handWrittenMeta } from "../../runner/session/state/seed-meta.js";
import { SessionStore } from "../../runner/session/store.js";
import { scratch, thrownBy } from "../helpers/scratch.js";
import { oid } from "./event-fixtures.js";

const task: Task = {
  id: "T-001",
  title: "First task",
  description: "d",
  acceptance_criteria: ["c"],
  status: "done",
};

/** A store whose clock advances by a minute at each look. */
function newStore(home: HostPath = scratch()): {
  home: HostPath;
  store: SessionStore;
  create: (source?: string) => SessionFiles;
} {
  let minutes = 0;
  const now = () => new Date(Date.UTC(2025, 0, 1) + 60_000 * minutes++);
  const store = new SessionStore(home, { now });
  const create = (source = "/src") => store.create({ source: hostPath(source), baseCommit: commitId(oid("1")) });
  return { home, store, create };
}

function stopped(files: SessionFiles): void {
  using log = EventLog.open(files.paths.events, (text) => text);
  log.append("stop", { reason: "token_cap", detail: "", hint: "" });
}

describe("a new session", () => {
  it("has a well-formed id, a folder for its owner alone, and a checkpoint that says preparing", () => {
    const { home, create } = newStore();
    const files = create();
    expect(files.id).toMatch(/^20250101-000\d00-[0-9a-f]{6}$/);
    for (const path of [join(home, "sessions"), files.paths.folder]) expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(files.loadCheckpoint()).toMatchObject({ status: "preparing", source: "/src", tokens: 0, cost: null });
  });

  it("sweeps old remains of a process that died before it had a checkpoint", () => {
    const { home, create } = newStore();
    const whole = create();
    const old = new Date(Date.UTC(2024, 0, 1));
    const left = (id: string, files: readonly string[], at = old) => {
      const folder = join(home, "sessions", id);
      mkdirSync(folder);
      for (const file of files) writeFileSync(join(folder, file), "{");
      utimesSync(folder, at, at);
      return id;
    };
    left("20240101-000000-aaaaaa", []);
    left("20240101-000000-bbbbbb", ["checkpoint.json.c1e6d860.tmp"]);
    const kept = [
      left("20240101-000000-cccccc", ["events.jsonl"]),
      left("20240101-000000-dddddd", ["checkpoint.json"]),
      left("20240101-000000-eeeeee", [], new Date(Date.UTC(2025, 0, 2))),
      whole.id,
    ];
    utimesSync(whole.paths.folder, old, old);
    symlinkSync(scratch(), join(home, "sessions", "20240101-000000-ffffff"));
    expect(readdirSync(join(home, "sessions"))).toHaveLength(7);
    const next = create();
    const now = readdirSync(join(home, "sessions"));
    expect(now.sort()).toEqual([...kept, "20240101-000000-ffffff", next.id].sort());
  });

  it("is not made when sessions/ is a link, which could lead into the source", () => {
    const { home, create } = newStore();
    symlinkSync(scratch(), join(home, "sessions"));
    expect(thrownBy(create)).toMatchObject({ code: "usage", message: expect.stringContaining("sessions") });
  });
});

describe("opening a session", () => {
  it.each([
    "",
    "..",
    ".",
    "../sessions",
    "20250101-000000-abcde",
    "20250101-000000-abcdef/..",
    "20250101-000000-ABCDEF",
    "20250101-000000-abcdef\n",
    "__proto__",
  ])("refuses %j as an id", (id) => {
    const { store, create } = newStore();
    create();
    expect(thrownBy(() => store.open(id))).toMatchObject({
      code: "usage",
      hint: expect.stringContaining("tilth sessions"),
    });
  });

  it("says when there is no such session, and follows no link in its place", () => {
    const { home, store, create } = newStore();
    const { id } = create();
    expect(store.open(id).loadCheckpoint().id).toBe(id);
    const other = "20250101-000000-abcdef";
    expect(thrownBy(() => store.open(other))).toMatchObject({ message: `there is no session ${other}` });
    symlinkSync(id, join(home, "sessions", other));
    expect(thrownBy(() => store.open(other))).toMatchObject({ code: "usage" });
  });
});

describe("the listing", () => {
  it("shows newest first how each session stands, what it is about and how it stopped", () => {
    const { store, create } = newStore();
    const [older, newer] = [create("/a"), create("/b")];
    older.savePrd([task, { ...task, id: "T-002", status: "failed" }, { ...task, id: "T-003", status: "pending" }]);
    older.updateCheckpoint({ status: "running", tokens: 12, cost: 0.5 });
    older.saveSeedMeta(
      handWrittenMeta(
        { tldr: "Intro.\n\n- **T-001:** `scaffold` it\n- more", open_questions: [], blockers: [], scope_notes: "" },
        new Date(0),
      ),
    );
    stopped(older);
    newer.savePrd([{ ...task, title: `A \u001b[31mlong\u202e title\n${"x".repeat(100)}` }]);
    using _ = SessionLock.acquire(newer.paths.lock);

    const rows = store.list();
    expect(rows.map((row) => row.id)).toEqual([newer.id, older.id]);
    expect(rows[1]).toMatchObject({
      status: "running",
      lastStop: "token_cap",
      label: "T-001: scaffold it",
      heldBy: null,
      problem: null,
    });
    expect(rows[1]).toMatchObject({ tasks: { done: 1, failed: 1, pending: 1 }, tokens: 12, cost: 0.5, source: "/a" });
    expect(rows[1]?.ageMs).toBeGreaterThan(0);
    expect(rows[0]?.label).toMatch(/^A \[31mlong title x+…$/);
    expect(rows[0]?.label).toHaveLength(60);
    expect(rows[0]).toMatchObject({ lastStop: null, heldBy: { pid: process.pid } });
  });

  it("survives every malformed file, and says what is wrong where", () => {
    const { home, store, create } = newStore();
    const good = create();
    good.savePrd([task]);
    const spoil: Record<string, (files: SessionFiles) => void> = {
      checkpoint: (files) => writeFileSync(files.paths.checkpoint, '{"v": 1}'),
      gone: (files) => rmSync(files.paths.checkpoint),
      prd: (files) => writeFileSync(files.paths.prd, "\0\0"),
      fifo: (files) => void execFileSync("mkfifo", [files.paths.prd]),
      events: (files) => mkdirSync(files.paths.events),
      lock: (files) => writeFileSync(files.paths.lock, "{"),
      meta: (files) => writeFileSync(files.paths.seedMeta, JSON.stringify({ tldr: "\n".repeat(100_000) })),
    };
    const spoilt = Object.entries(spoil).map(([what, act]) => {
      const files = create();
      act(files);
      return [what, files.id] as const;
    });
    symlinkSync(good.id, join(home, "sessions", "20250101-000000-abcdef"));
    writeFileSync(join(home, "sessions", "20250101-000000-abcdee"), "a file");
    mkdirSync(join(home, "sessions", "not-a-session"));

    const rows = new Map(store.list().map((row) => [row.id as string, row]));
    expect(rows.size).toBe(spoilt.length + 3);
    expect(rows.get(good.id)).toMatchObject({ problem: null, label: "First task" });
    const problems = Object.fromEntries(spoilt.map(([what, id]) => [what, rows.get(id)?.problem]));
    expect(problems).toMatchObject({
      checkpoint: expect.stringContaining("checkpoint.json"),
      gone: expect.stringContaining("checkpoint.json is missing"),
      prd: expect.stringContaining("prd.json"),
      fifo: expect.stringContaining("prd.json"),
      lock: null,
      meta: null,
    });
    expect(rows.get("20250101-000000-abcdef")?.problem).toContain("link");
    expect(rows.get("20250101-000000-abcdee")?.problem).toContain("no folder");
  });

  it("places a session whose checkpoint cannot be read by its id", () => {
    const { store, create } = newStore();
    const [oldest, older, newest] = [create(), create(), create()];
    for (const { paths } of [oldest, older]) writeFileSync(paths.checkpoint, "{");
    expect(store.latest(null)?.id).toBe(newest.id);
    expect(store.list().map(({ id }) => id)).toEqual([newest.id, older.id, oldest.id]);
  });

  it("is empty when there is no home yet", () => {
    const { store } = newStore(hostPath(join(scratch(), "none")));
    expect(store.list()).toEqual([]);
    expect(store.latest(null)).toBeNull();
  });

  it("finds a source's sessions by the real path, and its latest before any other", () => {
    const { store, create } = newStore();
    const real = scratch();
    const link = join(scratch(), "link");
    symlinkSync(real, link);
    const [first, second] = [create(real), create(real)];
    const other = create("/elsewhere");
    expect(store.ofSource(link).map((row) => row.id)).toEqual([second.id, first.id]);
    expect(store.latest(link)?.id).toBe(second.id);
    expect(store.latest("/nowhere")?.id).toBe(other.id);
    expect(store.latest(null)?.id).toBe(other.id);
  });
});

describe("removing a session", () => {
  it("removes only that one, and follows no link in it", () => {
    const { home, store, create } = newStore();
    const [gone, kept] = [create(), create()];
    const precious = scratch();
    writeFileSync(join(precious, "file"), "precious");
    symlinkSync(precious, join(gone.paths.folder, "ledger"));
    mkdirSync(gone.paths.worktree);
    store.remove(gone.id);
    expect(readdirSync(join(home, "sessions"))).toEqual([kept.id]);
    expect(readFileSync(join(precious, "file"), "utf8")).toBe("precious");
  });

  it("touches nothing while the worktree holds files of the worker, or is a link", () => {
    const { store, create } = newStore();
    const [full, linked] = [create(), create()];
    mkdirSync(full.paths.worktree);
    writeFileSync(join(full.paths.worktree, "work.py"), "");
    symlinkSync(full.paths.worktree, linked.paths.worktree);
    for (const { id, paths } of [full, linked]) {
      expect(thrownBy(() => store.remove(id))).toMatchObject({ code: "infra" });
      expect(existsSync(paths.checkpoint)).toBe(true);
    }
    expect(existsSync(join(full.paths.worktree, "work.py"))).toBe(true);
  });

  it("that a crash cut short is finished when it is asked for again, and no other one is", () => {
    const { home, store, create } = newStore();
    const [id, other] = ["20250101-000000-abcdef", "20250101-000000-abcdee"];
    const { id: whole } = create();
    for (const name of ["", "..", whole, "20250101-000000-000000"]) expect(store.finishRemoval(name)).toBe(false);
    symlinkSync(whole, join(home, "sessions", ".removed-20250101-000000-000000"));
    expect(store.finishRemoval("20250101-000000-000000")).toBe(false);
    mkdirSync(join(home, "sessions", `.removed-${id}`), { recursive: true });
    mkdirSync(join(home, "sessions", `.removed-${other}`), { recursive: true });
    expect([store.finishRemoval(id), store.finishRemoval(id)]).toEqual([true, false]);
    expect(readdirSync(join(home, "sessions"))).toContain(`.removed-${other}`);
    expect(existsSync(store.open(whole).paths.checkpoint)).toBe(true);
  });

  it("that a crash cut short is finished when the next session is made", () => {
    const { home, create } = newStore();
    const half = join(home, "sessions", ".removed-20250101-000000-abcdef");
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, "prd.json"), "");
    create();
    expect(lstatSync(half, { throwIfNoEntry: false })).toBeUndefined();
  });
});

it("a file in place of the sessions folder is reported as trouble of the disk, however it is met", () => {
  const home = hostPath(scratch());
  writeFileSync(join(home, "sessions"), "");
  const store = new SessionStore(home);
  for (const look of [() => store.list(), () => store.open("20260102-101112-a1b2c3")])
    expect(thrownBy(look)).toMatchObject({ code: "infra", message: expect.stringContaining("ENOTDIR") });
});
