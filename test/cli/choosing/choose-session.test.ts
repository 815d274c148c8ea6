import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chooseSession, statusOf } from "../../../cli/choosing/choose-session.js";
import { TilthError } from "../../../runner/base/errors.js";
import { commitId, hostPath } from "../../../runner/base/ids.js";
import { type SessionRow, SessionStore } from "../../../runner/index.js";
import { SessionLock } from "../../../runner/session/lock/lock.js";
import { EventLog } from "../../../runner/session/log/event-log.js";
import type { SessionFiles } from "../../../runner/session/session-files.js";
import type { SessionStatus } from "../../../runner/session/state/checkpoint.js";
import { scratch, thrownBy } from "../../helpers/scratch.js";
import { oid } from "../../session/event-fixtures.js";

class Home {
  readonly store = new SessionStore(scratch());
  readonly source = scratch();

  session(status: SessionStatus, source = this.source): SessionFiles {
    const files = this.store.create({ source, baseCommit: commitId(oid("a")) });
    const task = {
      id: "T-001",
      title: "One",
      description: "d",
      acceptance_criteria: ["a"],
      status: "pending" as const,
    };
    files.savePrd([task]);
    files.updateCheckpoint({ status });
    return files;
  }

  refusal(asked: { source?: string; session?: string }): TilthError {
    const error = thrownBy(() => {
      const choice = chooseSession(this.store, asked);
      if (choice.kind === "none") throw choice.refusal;
    });
    if (!(error instanceof TilthError)) throw error;
    expect(error.code).toBe("usage");
    return error;
  }
}

test("the one prepared session of a source is chosen, whatever path leads to it and whatever else there is", () => {
  const home = new Home();
  const meant = home.session("prepared");
  home.session("failed");
  home.session("all_done");
  home.session("prepared", scratch());
  const link = join(scratch(), "link");
  symlinkSync(home.source, link);
  for (const source of [home.source, `${home.source}/`, link])
    expect(chooseSession(home.store, { source })).toMatchObject({ kind: "run", row: { id: meant.id } });
});

test("without a source, the repository around the current folder is used", () => {
  const home = new Home();
  const meant = home.session("prepared");
  mkdirSync(join(home.source, ".git"));
  mkdirSync(join(home.source, "a", "b"), { recursive: true });
  const before = process.cwd();
  process.chdir(join(home.source, "a", "b"));
  try {
    expect(chooseSession(home.store, {})).toMatchObject({ row: { id: meant.id } });
  } finally {
    process.chdir(before);
  }
});

test("several prepared sessions are listed, with the command for one of them", () => {
  const home = new Home();
  const ids = [home.session("prepared").id, home.session("prepared").id];
  const { message, hint } = home.refusal({ source: home.source });
  for (const id of ids) expect(message).toContain(id);
  expect(ids.map((id) => `tilth run --session ${id}`)).toContain(hint);
});

test("when no session is prepared, the one command to type is named", () => {
  const home = new Home();
  expect(home.refusal({ source: home.source }).hint).toBe(`tilth seed '${home.source}' --from <dir>`);
  home.session("all_done");
  expect(home.refusal({ source: home.source }).hint).toContain("tilth seed");
  const stopped = home.session("running");
  expect(home.refusal({ source: home.source }).hint).toBe(`tilth resume ${stopped.id}`);
  expect(home.refusal({ source: join(home.source, "nowhere") }).message).toContain("there is no folder");
});

test("a named session runs when it is prepared, and is told apart when it is finished or stopped", () => {
  const home = new Home();
  const named = (status: SessionStatus) => ({ session: home.session(status).id });
  expect(chooseSession(home.store, named("prepared")).kind).toBe("run");
  const finished = home.session("all_done");
  {
    using log = EventLog.open(finished.paths.events, (text) => text);
    log.append("stop", { reason: "all_done", detail: "", hint: "" });
  }
  expect(chooseSession(home.store, { session: finished.id }).kind).toBe("finished");
  // the checkpoint alone is not believed
  for (const status of ["running", "failed", "all_done"] as const) {
    const asked = named(status);
    expect(home.refusal(asked)).toMatchObject({ hint: `tilth resume ${asked.session}` });
  }
  expect(home.refusal(named("preparing")).hint).toContain("tilth seed");
});

test("a failed interview that left no tasks is not offered for resuming", () => {
  const home = new Home();
  const files = home.session("failed");
  rmSync(files.paths.prd);
  expect(home.refusal({ session: files.id }).hint).toBe(`tilth prep-feature '${home.source}' --force`);
  expect(home.refusal({ source: home.source }).hint).toBe(`tilth prep-feature '${home.source}' --force`);
});

test("a session in use is chosen, so that its lock can name the holder", () => {
  const home = new Home();
  const files = home.session("running");
  using _held = SessionLock.acquire(files.paths.lock);
  for (const asked of [{ source: home.source }, { session: files.id }])
    expect(chooseSession(home.store, asked)).toMatchObject({ kind: "run", row: { id: files.id } });
});

test.each(["", "..", "../x", "20260101-000000-abcdef", "20260101-000000-ABCDEF", "x\u001b[2J"])(
  "%j is refused as a session",
  (session) => {
    const home = new Home();
    home.session("prepared");
    expect(home.refusal({ session }).message.length).toBeGreaterThan(0);
  },
);

test("a session that cannot be read is reported as such, and hides no other", () => {
  const home = new Home();
  const broken = home.session("prepared");
  const meant = home.session("prepared");
  writeFileSync(broken.paths.checkpoint, "{");
  expect(home.refusal({ session: broken.id }).message).toContain("cannot be read");
  expect(chooseSession(home.store, { source: home.source })).toMatchObject({ row: { id: meant.id } });
  rmSync(broken.paths.checkpoint);
  expect(home.refusal({ session: broken.id }).message).toContain("cannot be read");
});

test("a status says how the session stopped, and who holds it", () => {
  const home = new Home();
  const files = home.session("running");
  const row = (): SessionRow => home.store.list()[0] ?? expect.fail("no session");
  expect(statusOf(row())).toBe("running");
  {
    using log = EventLog.open(hostPath(files.paths.events), (text) => text);
    log.append("stop", { reason: "token_cap", detail: "", hint: "" });
  }
  expect(statusOf(row())).toBe("stopped: token_cap");
  using _held = SessionLock.acquire(files.paths.lock);
  expect(statusOf(row())).toBe(`running, held by process ${process.pid} on ${hostname()}`);
  expect(statusOf({ ...row(), heldBy: null, status: "all_done" })).toBe("all_done");
  expect(statusOf({ ...row(), heldBy: null, status: null, lastStop: null })).toBe("unreadable");
});
