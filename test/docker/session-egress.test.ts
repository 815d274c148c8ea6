import { describe, expect, test } from "vitest";
import type { Turn } from "../../runner/demo/script.js";
import type { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { Upstream } from "../egress/egress-stage.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { startModel } from "../helpers/scripted-model.js";
import { of } from "../helpers/session-oracle.js";
import { eventsNow } from "../helpers/stopped.js";
import { Tilth } from "../helpers/tilth.js";

const fetching = (url: string): Turn => ({
  calls: [["bash", { command: `python -c 'import urllib.request as u; print(u.urlopen("${url}").read().decode())'` }]],
});

const toWorker = (model: ScriptedModel) => JSON.stringify(model.of("worker"));

/** not the container's own, as programs see it */
const elsewhere = "127.0.0.2";

describe("a session whose worker may reach one host", () => {
  test("says so, reaches that host and no other, has it all on record, and its container has no network", async () => {
    await using upstream = await Upstream.http((_, answer) => void answer.end("from outside"), elsewhere);
    await using model = await startModel({
      worker: [fetching(`http://${upstream.at}/`), fetching("http://169.254.169.254/"), ...doing(1)],
    });
    await using stage = await CliStage.open(Tilth.endpoint(model));
    const id = await stage.prepared();
    const run = await stage.tilth.run(["run", stage.source, "--allow-host", upstream.at]);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining(`the worker may reach: ${upstream.at}`)]);
    expect(run.stdout).toContain("network: 1 connections, 0.0 MB received, 1 refused");
    const events = eventsNow(stage, id);
    const results = of(events, "tool_result").map(({ content }) => content);
    expect(results[0]).toContain("from outside");
    expect(results[1]).toContain("not allowed to reach: 169.254.169.254:80; only a person can allow it (--allow-host)");
    expect(of(events, "egress")).toMatchObject([
      { task_id: "T-001", iter: 1, host: elsewhere, port: upstream.port, allowed: true, refusal: null, bytes_in: 12 },
      { host: "169.254.169.254", port: 80, allowed: false, refusal: "not_allowed" },
    ]);
    const [receipt] = of(events, "isolation_receipt");
    expect(receipt).toMatchObject({ passed: true, open_to: [upstream.at] });
    expect(receipt?.items).toContainEqual({ name: "network", passed: true, seen: "lo" });
    expect(toWorker(model)).toContain(`which a person has allowed: ${upstream.at}.`);
    expect((await stage.tilth.run(["verify", id])).code).toBe(0);
  });

  test("unless nobody says so: then there is no proxy, and the prompt says that there is no network", async () => {
    await using upstream = await Upstream.http((_, answer) => void answer.end("from outside"));
    await using model = await startModel({ worker: [fetching(`http://${upstream.at}/`), ...doing(1)] });
    await using stage = await CliStage.open(Tilth.endpoint(model));
    const id = await stage.prepared();
    expect(await stage.tilth.run(["run", stage.source])).toMatchObject({ code: 0 });
    const events = eventsNow(stage, id);
    expect(of(events, "tool_result")[0]?.content).toMatch(/Connection refused|Network is unreachable/);
    expect([of(events, "egress"), upstream.connections]).toEqual([[], 0]);
    expect(toWorker(model)).toContain("There is no network: nothing can be downloaded or installed.");
  });

  test.each(["https://pypi.org", "*", "10.0.0.5", "a b", "pypi.org:0", "[::1]"])(
    "refuses %j as a host",
    async (host) => {
      using tilth = new Tilth({
        DOCKER_HOST: "unix:///nowhere/docker.sock",
        TILTH_BASE_URL: "http://127.0.0.1:9/v1",
        TILTH_API_KEY: "none",
        TILTH_WORKER_MODEL: "m",
      });
      const { code, stderr } = await tilth.run(["run", "/nowhere", "--allow-host", host]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(
          /^tilth: TILTH_ALLOW_HOSTS must be hosts such as .* is none.*\n {2}→ correct --allow-host\n$/,
        ),
      ]);
    },
  );
});
