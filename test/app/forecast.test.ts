import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Forecast, forecastOf } from "../../runner/app/forecast.js";
import { hostPath } from "../../runner/base/ids.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import type { Task } from "../../runner/session/state/prd.js";
import { SessionStore } from "../../runner/session/store.js";
import type { Summary } from "../../runner/session/summary/summary-schema.js";
import type { Caps } from "../../runner/settings/settings.js";
import { JumpingClock } from "../helpers/asking.js";
import { loopSettings } from "../helpers/loop-settings.js";
import { pastSession, preparedSession } from "../helpers/past-sessions.js";
import { scratch } from "../helpers/scratch.js";
import { endpointsOf } from "../helpers/scripted-model.js";

type Receipt = Partial<Summary["receipts"][number]>;

const mine = { worker_model: "scripted-worker" };
const minutes = (count: number) => ({ ms: count * 60_000 });
const three: readonly Receipt[] = [
  { ...mine, tokens: 3_000, cached_tokens: 0, cost: 0.5, ...minutes(4) },
  { ...mine, tokens: 11_000, cached_tokens: 10_000, cost: 0.25, ...minutes(2) },
  { ...mine, tokens: 8_000, cached_tokens: 0, cost: 2, ...minutes(30) },
];

class Stage {
  readonly home = scratch();
  readonly source: string = scratch();
  readonly #clock = new JumpingClock();
  // each session starts a second after the one before
  readonly store = new SessionStore(hostPath(this.home), {
    now: () => {
      void this.#clock.sleep(1_000, new AbortController().signal);
      return this.#clock.now();
    },
  });

  past(receipts: readonly Receipt[], source = this.source): SessionFiles {
    return pastSession(this.store, source, receipts);
  }

  forecast(tasks: readonly Task["status"][] = ["pending"], caps: Partial<Caps> = {}, source = this.source) {
    return this.of(preparedSession(this.store, source, tasks), caps);
  }

  of({ id }: SessionFiles, caps: Partial<Caps> = {}): Forecast | null {
    const settings = { ...loopSettings(this.home, caps), endpoints: endpointsOf("http://127.0.0.1:9/v1") };
    return forecastOf(this.store.row(id), this.store, settings);
  }
}

test("the forecast gives each open task the median of the accepted ones, and states the least and the most", () => {
  const stage = new Stage();
  stage.past(three);
  expect(stage.forecast(["done", "pending", "failed"])).toEqual({
    tasks: 2,
    goingBy: 3,
    bySameModel: true,
    // cached tokens count as a tenth
    tokens: { about: 6_000, least: 4_000, most: 16_000 },
    cost: { about: 1, least: 0.5, most: 4 },
    minutes: { about: 8, least: 4, most: 60 },
    beyond: [],
  });
});

test("with an even number of tasks to go by, the median lies between the two in the middle", () => {
  const stage = new Stage();
  stage.past([...three, { ...mine, tokens: 100_000, cost: null, ...minutes(6) }]);
  expect(stage.forecast()).toMatchObject({ tokens: { about: 5_500 }, minutes: { about: 5 }, cost: { about: 0.5 } });
});

test("there is no forecast from fewer than three accepted tasks or without open ones, and no cost from fewer than three", () => {
  const stage = new Stage();
  stage.past(three.slice(0, 2));
  expect(stage.forecast()).toBeNull();
  stage.past([{ ...mine, cost: null }]);
  expect(stage.forecast()).toMatchObject({ goingBy: 3, cost: null });
  expect(stage.forecast(["done"])).toBeNull();
});

test("only sessions of the same source count, whatever path leads to it", () => {
  const stage = new Stage();
  stage.past(three, scratch());
  expect(stage.forecast()).toBeNull();
  const link = join(scratch(), "link");
  symlinkSync(stage.source, link);
  stage.past(three, link);
  expect(stage.forecast()).toMatchObject({ goingBy: 3 });
});

test("only tasks done by the same worker model count once there is one; before that all count, and it says so", () => {
  const stage = new Stage();
  const { worker_model: _, ...older } = three[0] ?? {};
  stage.past([{ ...older, worker_model: "other" }, { ...older, worker_model: null }, older]);
  // a session without a model's name has the fixture's own
  expect(stage.forecast()).toMatchObject({ goingBy: 3, bySameModel: false });
  stage.past([{ ...mine, worker_model: "vendor/scripted-worker-2030-01-01" }]);
  expect(stage.forecast()).toBeNull();
  stage.past(three);
  expect(stage.forecast()).toMatchObject({ goingBy: 4, bySameModel: true });
});

test("a cap that leaves less than the forecast is named with what is left, and one that leaves enough is not", () => {
  const stage = new Stage();
  stage.past(three);
  const session = preparedSession(stage.store, stage.source, ["pending", "pending"]);
  session.updateCheckpoint({ tokens: 1_000, cost: 0.5 });
  const enough = { maxTokens: 7_000, maxCostUsd: 1.5, maxWallClockMinutes: 8 };
  expect(stage.of(session, enough)?.beyond).toEqual([]);
  expect(stage.of(session, { maxTokens: 6_999, maxCostUsd: 1.25, maxWallClockMinutes: 7 })?.beyond).toEqual([
    { setting: "TILTH_MAX_TOKENS", left: 5_999 },
    { setting: "TILTH_MAX_COST_USD", left: 0.75 },
    { setting: "TILTH_MAX_WALL_CLOCK_MINUTES", left: 7 },
  ]);
  session.updateCheckpoint({ tokens: 9_000 });
  expect(stage.of(session, enough)?.beyond).toEqual([{ setting: "TILTH_MAX_TOKENS", left: 0 }]);
});

test("the newest twenty sessions count, and the parts of them that cannot be read are skipped", () => {
  const stage = new Stage();
  stage.past(three.map((one) => ({ ...one, tokens: 900_000 })));
  for (let at = 0; at < 16; at += 1) stage.past([{ ...mine, tokens: 1_000, cached_tokens: 0 }]);
  writeFileSync(stage.past(three).paths.summary, '{"v": 1, "receipts": [');
  writeFileSync(stage.past(three).paths.summary, JSON.stringify({ v: 1, receipts: [{ tokens: "many" }] }));
  const odd = stage.past([]);
  writeFileSync(odd.paths.checkpoint, "{}");
  mkdirSync(join(stage.home, "sessions", "20250101-000000-abcdef"));
  // with the prepared session there are twenty now, and the oldest is the twentieth
  const session = preparedSession(stage.store, stage.source, ["pending"]);
  expect(stage.of(session)).toMatchObject({ goingBy: 19, tokens: { about: 1_000, most: 900_000 } });
  stage.past([]);
  expect(stage.of(session)).toMatchObject({ goingBy: 16, tokens: { most: 1_000 } });
});

test("a continued session is forecast from its own earlier tasks too", () => {
  const stage = new Stage();
  const session = stage.past(three);
  session.savePrd([{ id: "T-004", title: "t", description: "d", acceptance_criteria: ["c"], status: "pending" }]);
  expect(stage.of(session)).toMatchObject({ goingBy: 3, tasks: 1 });
});
