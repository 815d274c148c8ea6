import { describe, expect, test } from "vitest";
import type { Turn } from "../../runner/demo/script/script.js";
import type { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { Upstream } from "../egress/egress-stage.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { someOf } from "../helpers/every.js";
import { startModel } from "../helpers/scripted-model.js";
import { of } from "../helpers/session-oracle.js";
import { eventsNow } from "../helpers/stopped.js";
import { Tilth } from "../helpers/tilth.js";

const fetching = (url: string): Turn => ({
  calls: [["bash", { command: `python -c 'import urllib.request as u; print(u.urlopen("${url}").read().decode())'` }]],
});

const toWorker = (model: ScriptedModel) => JSON.stringify(model.of("worker"));

/** an address that programs do not take for the container's own */
const elsewhere = "127.0.0.2";

/** Tries every way past the proxy, each on a connection of its own, and prints the first line of each answer. */
const breakingOut = (at: string, port: number) => `
import os, socket, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["HTTP_PROXY"])
def ask(text, more=b""):
    s = socket.create_connection((proxy.hostname, proxy.port), 20)
    s.sendall(text.encode() + more)
    s.shutdown(socket.SHUT_WR)
    said = s.makefile("rb").read().decode("latin-1")
    s.close()
    return said
for host in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "localhost", "0.0.0.0", "[::]", "2130706433", "0x7f.1", "127.1"]:
    print(host, ask(f"CONNECT {host}:${port} HTTP/1.1\\r\\n\\r\\n")[9:12])
for host in ["169.254.169.254:80", "[fd00:ec2::254]:80", "[fe80::1]:80", "10.0.0.1:80", "192.168.0.1:22"]:
    print(host, ask(f"CONNECT {host} HTTP/1.1\\r\\n\\r\\n")[9:12])
print("inside", ask("CONNECT ${at} HTTP/1.1\\r\\n\\r\\nGET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n").count("of the machine"))
print("behind", ask("GET http://${at}/ HTTP/1.1\\r\\nHost: ${at}\\r\\n\\r\\nGET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: ${at}\\r\\n\\r\\n").count("of the machine"))
held = []
try:
    for _ in range(10_000):
        s = socket.socket(); s.settimeout(0.2); s.connect((proxy.hostname, proxy.port)); held.append(s)
except OSError:
    pass
slow = socket.create_connection((proxy.hostname, proxy.port)) if not held else held[0]
slow.sendall(b"GET http://${at}/large HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
print("held", len(held) < 400)
`;

describe("a session whose worker may reach one host", () => {
  test("gets no further by odd spellings, by what follows a request, or by many slow connections, and goes on", async () => {
    const large = Buffer.alloc(200 * 1024 * 1024);
    await using upstream = await Upstream.http((asked, answer) => {
      answer.end(asked.url === "/large" ? large : "from outside");
    }, elsewhere);
    await using machine = await Upstream.http((_, answer) => void answer.end("of the machine"));
    const program = breakingOut(upstream.at, machine.port);
    await using model = await startModel({
      worker: [
        { calls: [["bash", { command: `python - <<'END'\n${program}\nEND` }]] },
        fetching(`http://${upstream.at}/`),
        ...doing(1),
      ],
    });
    await using stage = await CliStage.open(Tilth.endpoint(model));
    const id = await stage.prepared();
    const run = await stage.tilth.run(["run", stage.source, "--allow-host", upstream.at]);
    expect([run.code, machine.connections]).toEqual([0, 0]);
    const results = of(eventsNow(stage, id), "tool_result").map(({ content }) => content);
    const said = results[0] ?? "";
    const statuses = [...said.matchAll(/^(\S+) (\d{3})$/gm)].map(([, , status]) => status);
    expect(statuses).toHaveLength(16);
    expect(new Set(statuses)).toEqual(new Set(["403", "400"]));
    expect(said).toMatch(/^inside 0\nbehind 0\nheld True$/m);
    expect(results[1]).toContain("from outside");
  });

  test("has no network until a person says so, then reaches that host and no other, and all of it is recorded", async () => {
    await using upstream = await Upstream.http((_, answer) => void answer.end("from outside"), elsewhere);
    const fetch = fetching(`http://${upstream.at}/`);
    await using model = await startModel({
      worker: [fetch, fetch, fetching("http://169.254.169.254/"), ...doing(1)],
    });
    await using stage = await CliStage.open(Tilth.endpoint(model));
    const id = await stage.prepared();
    await stage.tilth.run(["run", stage.source], { TILTH_MAX_ITERATIONS_PER_TASK: "1" });
    const before = eventsNow(stage, id);
    expect(of(before, "tool_result")[0]?.content).toMatch(/Connection refused|Network is unreachable/);
    expect([of(before, "egress"), upstream.connections]).toEqual([[], 0]);
    expect(toWorker(model)).toContain("There is no network: nothing can be downloaded or installed.");
    expect(toWorker(model)).not.toContain(upstream.at);

    const run = await stage.tilth.run(["resume", id, "--allow-host", upstream.at]);
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(0);
    expect(run.stderr).toContain(`the worker may reach: ${upstream.at}`);
    expect(run.stdout).toContain("network: 1 connections, 0.0 MB received, 1 refused");
    const events = eventsNow(stage, id);
    const [, ...results] = of(events, "tool_result").map(({ content }) => content);
    expect(results[0]).toContain("from outside");
    expect(results[1]).toContain("not allowed to reach: 169.254.169.254:80; only a person can allow it (--allow-host)");
    expect(of(events, "egress")).toMatchObject([
      { task_id: "T-001", iter: 1, host: elsewhere, port: upstream.port, allowed: true, refusal: null, bytes_in: 12 },
      { host: "169.254.169.254", port: 80, allowed: false, refusal: "not_allowed" },
    ]);
    const receipts = of(events, "isolation_receipt").filter(({ role }) => role === "work");
    expect(receipts).toMatchObject([
      { passed: true, open_to: [] },
      { passed: true, open_to: [upstream.at] },
    ]);
    for (const { items } of receipts) expect(items).toContainEqual({ name: "network", passed: true, seen: "lo" });
    expect(toWorker(model)).toContain(`which a person has allowed: ${upstream.at}.`);
    expect((await stage.tilth.run(["verify", id])).code).toBe(0);
  });

  test.each(someOf(["https://pypi.org", "*", "10.0.0.5", "a b", "pypi.org:0", "[::1]"], 6))(
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
