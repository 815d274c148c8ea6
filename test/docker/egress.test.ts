import { describe, expect, test } from "vitest";
import { EgressProxy, type EgressRecord, egressLimits } from "../../runner/egress/proxy.js";
import { noProxies } from "../../runner/egress/upstream-proxy.js";
import { allowed, Upstream } from "../egress/egress-stage.js";
import { ResidentContainer } from "../helpers/resident-container.js";
import { soon } from "../helpers/soon.js";

/** A container whose programs reach the allowed hosts through its resident. */
class OpenContainer implements AsyncDisposable {
  readonly records: EgressRecord[];
  private constructor(
    readonly box: ResidentContainer,
    readonly proxy: EgressProxy,
    readonly port: number,
    records: EgressRecord[],
  ) {
    this.records = records;
  }

  static async start(...names: readonly string[]): Promise<OpenContainer> {
    const records: EgressRecord[] = [];
    const proxy = new EgressProxy({
      dial: { allowed: names.map(allowed), proxies: noProxies, timeoutMs: 5_000 },
      limits: egressLimits,
      report: (record) => records.push(record),
    });
    const box = await ResidentContainer.start({ onConnection: (connection) => proxy.accept(connection) });
    const { port } = await box.call("listen", {});
    return new OpenContainer(box, proxy, Number(port), records);
  }

  python(program: string) {
    const proxy = `http://127.0.0.1:${this.port}`;
    return this.box.bash(
      `python - <<'END'\nimport socket, urllib.request\nPROXY = ("127.0.0.1", ${this.port})\n${program}\nEND`,
      {
        env: { PATH: "/opt/tilth/venv/bin:/usr/bin:/bin", http_proxy: proxy, https_proxy: proxy },
      },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]();
    await this.box[Symbol.asyncDispose]();
  }
}

/** More than twice the number of connections allowed at once, on either side. */
const often = 2 * egressLimits.atOnce + 10;
const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, "tilth ");

describe("a program in a container without network", () => {
  test("fetches from a host that was named, byte for byte, and from no other", async () => {
    const body = megabytes(20);
    await using upstream = await Upstream.http((_, answer) => void answer.end(body));
    await using open = await OpenContainer.start(upstream.at);
    const fetched = await open.python(
      `import hashlib\nprint(hashlib.sha256(urllib.request.urlopen("http://${upstream.at}/x").read()).hexdigest())`,
    );
    const { createHash } = await import("node:crypto");
    expect(fetched.text.trim()).toBe(createHash("sha256").update(body).digest("hex"));
    const refused = await open.python('urllib.request.urlopen("http://169.254.169.254/latest/meta-data")');
    expect(refused.text).toContain("HTTP Error 403: 169.254.169.254:80 is not allowed");
    const direct = await open.python(`socket.create_connection(("127.0.0.1", ${upstream.port}), 2)`);
    expect(direct.text).toContain("Connection refused");
    await soon(() => open.records.map(({ refusal }) => refusal)).toEqual([null, "not_allowed"]);
  });

  test("sends as much as it likes, at the pace of its receiver", async () => {
    const seen: number[] = [];
    await using upstream = await Upstream.http((asked, answer) => {
      let size = 0;
      asked.on("data", (chunk: Buffer) => {
        size += chunk.length;
      });
      asked.on("end", () => {
        seen.push(size);
        answer.end(String(size));
      });
    });
    await using open = await OpenContainer.start(upstream.at);
    const sent = await open.python(
      `print(urllib.request.urlopen("http://${upstream.at}/x", data=b"x" * 30_000_000).read().decode())`,
    );
    expect([sent.text.trim(), seen]).toEqual(["30000000", [30_000_000]]);
  });

  test("holds up no other transfer or tool call when it reads slowly, and costs no memory", async () => {
    await using upstream = await Upstream.http((_, answer) => void answer.end(megabytes(60)));
    await using open = await OpenContainer.start(upstream.at);
    const program = open.python(
      `import os, time\ns = socket.create_connection(PROXY)\ns.sendall(b"GET http://${upstream.at}/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")\n` +
        `print(len(urllib.request.urlopen("http://${upstream.at}/").read()))\nwhile not os.path.exists("called"): time.sleep(0.05)\nprint(len(s.recv(10)))`,
    );
    for (let at = 0; at < 20; at += 1) await open.box.call("glob", { pattern: "*", limit: 10, skip: [] });
    await open.box.call("write", { path: "called" });
    expect((await program).text.trim().split("\n")).toEqual([String(60 * 1024 * 1024), "10"]);
    const { memory_stats } = await open.box.container.stats({ stream: false });
    expect(memory_stats.usage).toBeLessThan(200 * 1024 * 1024);
  });

  test("is served a few connections at a time when it makes ten thousand", async () => {
    await using upstream = await Upstream.http((_, answer) => void answer.end("x"));
    await using open = await OpenContainer.start(upstream.at);
    const many = await open.python(
      "held = []\nfor _ in range(10_000):\n  try:\n    s = socket.socket(); s.settimeout(0.2); s.connect(PROXY); held.append(s)\n" +
        "  except OSError:\n    break\nprint(len(held))\n" +
        "for s in held: s.close()\n" +
        `print(urllib.request.urlopen("http://${upstream.at}/").read().decode())`,
    );
    const [held = "", answer] = many.text.trim().split("\n");
    expect([Number(held) < 300, answer]).toEqual([true, "x"]);
  });

  test("leaves no connection behind when its command ends", async () => {
    const ended: Promise<unknown>[] = [];
    await using upstream = await Upstream.tcp((socket) => {
      ended.push(new Promise((resolve) => socket.on("close", resolve).on("error", () => undefined)));
      socket.resume().on("end", () => socket.end());
    });
    await using open = await OpenContainer.start(upstream.at);
    await open.python(
      `s = socket.create_connection(PROXY)\ns.sendall(b"CONNECT ${upstream.at} HTTP/1.1\\r\\n\\r\\n")\nprint(s.recv(100))`,
    );
    expect(ended).toHaveLength(1);
    await Promise.all(ended);
    await soon(() => open.records).toHaveLength(1);
  });

  test("harms nobody else when it tears its connection down in the middle", async () => {
    await using upstream = await Upstream.tcp((socket) => void socket.on("error", () => undefined).end("x"));
    await using open = await OpenContainer.start(upstream.at);
    const torn = await open.python(
      `import struct\nfor _ in range(${often}):\n  s = socket.create_connection(PROXY)\n` +
        `  s.sendall(b"CONNECT ${upstream.at} HTTP/1.1\\r\\n\\r\\n"); s.recv(10)\n` +
        '  s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)); s.close()\nprint("done")',
    );
    expect(torn.text.trim()).toBe("done");
    await soon(() => open.records).toHaveLength(often);
    expect((await open.python("print(1)")).text.trim()).toBe("1");
  });

  test("is still answered when it asks in vain again and again", async () => {
    await using open = await OpenContainer.start("one.example");
    const asked = await open.python(
      `for _ in range(${often}):\n  s = socket.create_connection(PROXY)\n` +
        '  s.sendall(b"CONNECT two.example:443 HTTP/1.1\\r\\n\\r\\n"); last = s.makefile("rb").read(); s.close()\nprint(last[:12])',
    );
    expect(asked.text.trim()).toBe("b'HTTP/1.1 403'");
    await soon(() => open.records).toHaveLength(often);
  });
});
