import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitId, hostPath } from "../../runner/base/ids.js";
import { writeFileAtomic, writePiecesAtomic } from "../../runner/disk/atomic-file.js";
import { type FileIo, nodeIo } from "../../runner/disk/file-io.js";
import { SessionLock } from "../../runner/session/lock/lock.js";
import type { LedgerEntry } from "../../runner/session/log/events/verdicts.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import type { Prd, Task } from "../../runner/session/state/prd.js";
import { handWrittenMeta } from "../../runner/session/state/seed-meta.js";
import { SessionStore } from "../../runner/session/store.js";
import { scratch, thrownBy } from "../helpers/scratch.js";
import { oid } from "./event-fixtures.js";

const task: Task = {
  id: "T-001",
  title: "One",
  description: "Do it.",
  acceptance_criteria: ["works"],
  status: "pending",
};
const prd: Prd = [task, { ...task, id: "T-002" }];
const entry: LedgerEntry = {
  ts: "2025-01-01T00:00:00.000Z",
  iter: 3,
  diff_summary: "1 file",
  case: { summary: "did it", ac_coverage: [], work_arounds: [], uncertainties: [] },
  verdict: { verdict: "accept", rejection_category: null, concern: "ok", evidence: [], next_step: null },
};

function newSession(): SessionFiles {
  return new SessionStore(scratch()).create({ source: hostPath("/src"), baseCommit: commitId(oid("1")) });
}

describe("the state files of a session", () => {
  it("come back as they were saved", () => {
    const files = newSession();
    files.savePrd(prd);
    files.saveSeedMeta(handWrittenMeta({ tldr: "t", open_questions: [], blockers: [], scope_notes: "" }, new Date(0)));
    expect(files.loadPrd()).toEqual(prd);
    expect(files.loadSeedMeta()).toMatchObject({ interviewer_model: null, tldr: "t", tokens: { total: 0 } });
    expect(files.updateCheckpoint({ status: "running", tokens: 7 })).toEqual(files.loadCheckpoint());
    expect(files.loadCheckpoint()).toMatchObject({ status: "running", tokens: 7, last_commit: oid("1") });
  });

  it("change a task's status and nothing else", () => {
    const files = newSession();
    files.savePrd(prd);
    files.setTaskStatus("T-002", "done");
    expect(files.loadPrd()).toEqual([task, { ...task, id: "T-002", status: "done" }]);
    expect(thrownBy(() => files.setTaskStatus("T-009", "done"))).toMatchObject({ code: "usage" });
  });

  it.each([
    ["no JSON", "{", "JSON"],
    ["an empty list", "[]", "prd.json"],
    ["an id twice", JSON.stringify([task, task]), "unique"],
    ["an unknown status", JSON.stringify([{ ...task, status: "maybe" }]), "[0].status"],
    ["an unknown key", JSON.stringify([{ ...task, notes: "x" }]), "notes"],
    ["a blank title", JSON.stringify([{ ...task, title: " " }]), "[0].title"],
  ])("are refused with the file and what is wrong in it: %s", (_, text, named) => {
    const files = newSession();
    writeFileSync(files.paths.prd, text);
    const error = thrownBy(() => files.loadPrd());
    expect(error).toMatchObject({
      code: "usage",
      message: expect.stringContaining("prd.json"),
      hint: expect.stringContaining(`tilth reset ${files.id}`),
    });
    expect(error).toMatchObject({ message: expect.stringContaining(named) });
  });

  it("are never read through a link", () => {
    const files = newSession();
    files.savePrd(prd);
    renameSync(files.paths.prd, join(files.paths.folder, "moved.json"));
    symlinkSync("moved.json", files.paths.prd);
    expect(thrownBy(() => files.loadPrd())).toMatchObject({ code: "usage", message: expect.stringContaining("link") });
  });

  it("never take a value that could not be loaded again", () => {
    const files = newSession();
    expect(() => files.savePrd([])).toThrow();
    expect(readdirSync(files.paths.folder)).toEqual(["checkpoint.json"]);
  });

  it("hold the seed's tests byte for byte, and only plain files count", () => {
    const files = newSession();
    const tests = new Map([
      ["test_t001_x.py", "\ufeff# é\r\n"],
      ["test_t002_x.py", "b"],
    ]);
    files.saveSeed(tests);
    expect(files.loadSeed()).toEqual(tests);
    symlinkSync("/etc/passwd", join(files.paths.seed, "test_t003_x.py"));
    expect(thrownBy(() => files.loadSeed())).toMatchObject({
      code: "usage",
      message: expect.stringContaining("test_t003_x.py"),
    });
  });
});

describe("the files of a session that grow by lines", () => {
  it("keep a ledger per task, and mend it when its last line was torn", () => {
    const files = newSession();
    files.appendLedger("T-001", entry);
    writeFileSync(files.ledgerPath("T-001"), '{"torn', { flag: "a" });
    expect(files.loadLedger("T-001")).toEqual([entry]);
    files.appendLedger("T-001", { ...entry, iter: 4 });
    expect(files.loadLedger("T-001").map(({ iter }) => iter)).toEqual([3, 4]);
    expect(files.loadLedger("T-002")).toEqual([]);
  });

  it("do not begin a session anew that was moved away", () => {
    const files = newSession();
    renameSync(files.paths.folder, `${files.paths.folder}.moved`);
    expect(thrownBy(() => files.appendLedger("T-001", entry))).toMatchObject({ code: "infra" });
    expect(existsSync(files.paths.folder)).toBe(false);
  });

  it("name file and line of an invalid ledger line, and accept no path as a task", () => {
    const files = newSession();
    files.appendLedger("T-001", entry);
    writeFileSync(files.ledgerPath("T-001"), "{}\n", { flag: "a" });
    expect(thrownBy(() => files.loadLedger("T-001"))).toMatchObject({
      code: "usage",
      message: expect.stringMatching(/line 2 of .*T-001\.jsonl/),
    });
    for (const id of ["../../T-001", "", "T-001/../x"]) expect(() => files.appendLedger(id, entry)).toThrow(TypeError);
  });

  it("record outcomes as tab-separated printable lines that no title can forge", () => {
    const files = newSession();
    files.appendProgress({ id: "T-001", title: "a\tb\nT-009\tdone\tforged\u001b[2J" }, "iter_cap");
    files.appendProgress(task, "done");
    expect(readFileSync(files.paths.progress, "utf8")).toBe(
      "T-001\tfailed:iter_cap\ta b T-009 done forged[2J\nT-001\tdone\tOne\n",
    );
    expect(files.progress()).toHaveLength(2);
  });

  it("collect learnings that can be counted", () => {
    const files = newSession();
    expect(files.countLearnings()).toBe(0);
    files.appendLearning("T-001", "first\n- not an item of its own\u0007");
    files.appendLearning("T-002", "second");
    expect(files.countLearnings()).toBe(2);
    expect(readFileSync(files.paths.learnings, "utf8")).toBe(
      "- T-001: first\n  - not an item of its own\n- T-002: second\n",
    );
  });

  it("are cleared of temporary files that dead writers left", () => {
    const files = newSession();
    mkdirSync(files.paths.seed);
    for (const folder of [files.paths.folder, files.paths.seed])
      writeFileSync(join(folder, "prd.json.0badcafe.tmp"), "half");
    const page = join(files.paths.folder, "chat.html.0badcafe.part");
    writeFileSync(page, "half");
    utimesSync(page, 0, Date.now() / 1000 - 61);
    files.sweep();
    expect(readdirSync(files.paths.seed)).toEqual([]);
    expect(readdirSync(files.paths.folder).sort()).toEqual(["checkpoint.json", "seed"]);
  });

  it("are not cleared of files that others, without the lock, are still writing there", async () => {
    const files = newSession();
    using held = SessionLock.acquire(files.paths.lock);
    const swept = { count: 0 };
    const io = afterEach(nodeIo, () => {
      files.sweep();
      swept.count += 1;
    });
    expect(thrownBy(() => SessionLock.acquire(files.paths.lock, { io }))).toMatchObject({ code: "busy" });
    expect(swept.count).toBeGreaterThan(3);
    await writePiecesAtomic(files.paths.chat, pagePieces(), io);
    expect(readFileSync(files.paths.chat, "utf8")).toBe("a page");
    expect(held.lost.aborted).toBe(false);
    const own = join(files.paths.folder, "own");
    expect(thrownBy(() => writeFileAtomic(own, "", io))).toMatchObject({ message: expect.stringContaining("ENOENT") });
  });
});

async function* pagePieces(): AsyncGenerator<string> {
  yield "a ";
  yield "page";
}

/** The operations of `io`, each followed by something that another process does at that moment. */
function afterEach(io: FileIo, act: () => void): FileIo {
  const followed = Object.entries(io).map(([name, operation]) => [
    name,
    (...given: unknown[]) => {
      const result = Reflect.apply(operation, io, given);
      act();
      return result;
    },
  ]);
  return Object.fromEntries(followed);
}
