import { expect, test } from "vitest";
import { forecastLine } from "../../../cli/output/forecast-line.js";
import { hostPath } from "../../../runner/base/ids.js";
import { type Forecast, SessionStore } from "../../../runner/index.js";
import { compiledTilth } from "../../helpers/compiled.js";
import { pastSession, preparedSession } from "../../helpers/past-sessions.js";
import { scratch } from "../../helpers/scratch.js";
import { Tilth } from "../../helpers/tilth.js";
import { Terminal } from "../../helpers/tmux.js";

const forecast: Forecast = {
  tasks: 3,
  goingBy: 12,
  bySameModel: true,
  tokens: { about: 243_210, least: 181_000, most: 614_000 },
  cost: { about: 1.2, least: 0.0412, most: 3.1 },
  minutes: { about: 23.5, least: 17.2, most: 60 },
  beyond: [],
};

const shown = (given: Partial<Forecast>) =>
  forecastLine({ ...forecast, ...given }).render({ coloured: false, columns: Number.POSITIVE_INFINITY });

test("a forecast is one line, in round numbers", () => {
  expect(shown({})).toBe(
    "forecast for 3 tasks: about 240,000 tokens (180,000 to 610,000), $1.20 ($0.041 to $3.10), 24 minutes (18 to 60), going by 12 accepted tasks of this source",
  );
  const spread = { about: 0.2, least: 0.1, most: 0.3 };
  expect(shown({ tasks: 1, cost: null, minutes: spread, bySameModel: false })).toBe(
    "forecast for 1 task: about 240,000 tokens (180,000 to 610,000), 1 minute, going by 12 accepted tasks of this source, none known to be of this model",
  );
});

test("the forecast names each cap that it exceeds, in the same line", () => {
  const text = shown({
    beyond: [
      { setting: "TILTH_MAX_TOKENS", left: 200_000 },
      { setting: "TILTH_MAX_COST_USD", left: 0.5 },
      { setting: "TILTH_MAX_WALL_CLOCK_MINUTES", left: 20 },
    ],
  });
  expect(text).toMatch(
    /of this source; more than the 200,000 tokens left of TILTH_MAX_TOKENS; more than the \$0\.5 left of TILTH_MAX_COST_USD; more than the 20 minutes of TILTH_MAX_WALL_CLOCK_MINUTES$/,
  );
});

test.each([
  [["run"], true],
  [["run", "--json"], true],
  [["run", "--quiet"], false],
  [["resume"], true],
])("%j prints the forecast on stderr before anything begins: %s", async (verb, isSaid) => {
  using tilth = new Tilth({
    DOCKER_HOST: "unix:///nowhere/docker.sock",
    ...Tilth.endpoint({ baseUrl: "http://127.0.0.1:9/v1" }),
    TILTH_MAX_TOKENS: "100",
  });
  await tilth.run(["init"]);
  const [source, store] = [scratch(), new SessionStore(hostPath(tilth.home))];
  pastSession(store, source, [{}, {}, {}]);
  const { id } = preparedSession(store, source, ["pending", "pending"]);
  const [name = "", ...flags] = verb;
  const named = name === "run" ? ["--session", id] : [id];
  const { stdout, stderr } = await tilth.run([name, ...named, ...flags]);
  const said =
    /^forecast for 2 tasks: about 220 tokens, 1 minute, going by 3 accepted [^\n]+ left of TILTH_MAX_TOKENS$/m;
  expect([stdout, said.test(stderr)]).toEqual(["", isSaid]);
});

test("a narrow terminal shows the whole forecast, with the cap that it exceeds", async () => {
  using tilth = new Tilth({
    DOCKER_HOST: "unix:///nowhere/docker.sock",
    ...Tilth.endpoint({ baseUrl: "http://127.0.0.1:9/v1" }),
    TILTH_MAX_TOKENS: "100",
  });
  await tilth.run(["init"]);
  const [source, store] = [scratch(), new SessionStore(hostPath(tilth.home))];
  pastSession(store, source, [{}, {}, {}]);
  const { id } = preparedSession(store, source, ["pending", "pending"]);
  const command = [process.execPath, compiledTilth(), "run", "--session", id];
  using terminal = new Terminal(command, tilth.env, { columns: 40, rows: 24 });
  const screen = await terminal.shows("[left with 2]");
  expect(screen.replaceAll("\n", "")).toMatch(/forecast for 2 tasks: .* left of TILTH_MAX_TOKENS/);
});
