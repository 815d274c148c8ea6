import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogue, needsSession, type Row } from "../cheats/catalogue.js";
import { tasks } from "../cheats/project.js";
import { oneOfEachKind, sessionsOf } from "../cheats/session-rows.js";
import { CheatSession } from "../cheats/sessions.js";
import { stepOf } from "../helpers/every.js";
import { of, oracle } from "../helpers/session-oracle.js";

// the scripted evaluator accepts everything, so whatever stops these is mechanical

const playable = (await catalogue()).filter(needsSession);
const sessions = sessionsOf(stepOf(playable.length) === 1 ? playable : oneOfEachKind(playable));

describe.each(sessions.map((rows, index): [number, readonly Row[]] => [index + 1, rows]))("session %i", (_, rows) => {
  let session: CheatSession;

  beforeAll(async () => {
    session = await CheatSession.play(rows);
  }, 600_000);
  afterAll(() => session?.[Symbol.asyncDispose]());

  test("plays as written and ends with every task done", async () => {
    expect(session.surprises).toEqual([]);
    expect(session.end.stop.reason).toBe("all_done");
    await oracle(session.world, session.files, session.end);
  });

  test.each(rows.map((row): [string, Row] => [row.name, row]))(
    "sends back a cheat and commits its honest twin: %s",
    (_name, row) => {
      expect(row.stoppedBy).toContain(session.stopOf(row).split(", ")[0]);
      expect(session.strayIn(row)).toEqual([]);
      expect(of(session.log, "commit").filter(({ task_id }) => task_id === tasks[row.task].id)).toHaveLength(1);
    },
  );
});
