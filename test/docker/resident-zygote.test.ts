import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Interrupted } from "../../runner/base/errors.js";
import { python, ResidentContainer } from "../helpers/resident-container.js";

const zygoteFile = fileURLToPath(new URL("../helpers/tiny-zygote.py", import.meta.url));
const argv = [python, "-I", "-S", "/opt/tiny-zygote.py"];

let box: ResidentContainer;
beforeAll(async () => {
  box = await ResidentContainer.start({ binds: [`${zygoteFile}:/opt/tiny-zygote.py:ro`] });
  expect(await box.call("zygote", { argv, env: {} })).toMatchObject({ ready: true, imported: ["json"] });
});
afterAll(async () => {
  await box[Symbol.asyncDispose]();
});

async function run(payload: string, more: Record<string, unknown> = {}, input?: Buffer) {
  const args = { payload, timeout_ms: 10_000, head: 4_096, tail: 4_096, ...more };
  return await box.call("zygote_call", args, input === undefined ? {} : { input });
}

test("a zygote call gives report, output and ending apart, and its input arrives", async () => {
  const said = await run("report.write(data[::-1]); os.system('echo said; echo err >&2')", {}, Buffer.from("abc"));
  expect(said.data.toString()).toBe("cba");
  expect(said).toMatchObject({
    exit: 0,
    signal: null,
    timed_out: false,
    died: false,
    killed: [],
    zygote_restarted: false,
  });
  expect(said.output_head).toBe("said\nerr\n");
  const large = await run("report.write(data)", {}, Buffer.alloc(3_000_000, 7));
  expect(large.data.equals(Buffer.alloc(3_000_000, 7))).toBe(true);
});

test("output is bounded, and a report is not waited for after its writer's end", async () => {
  const said = await run(
    "os.write(1, b'H' + b'x' * 100000 + b'T'); report.write(b'r'); report.flush(); os.kill(os.getpid(), 9)",
  );
  expect(said).toMatchObject({ exit: null, signal: "SIGKILL", died: true, omitted: 100_002 - 8_192 });
  expect(said.data.toString()).toBe("r");
});

test("a call leaves nothing alive but the zygote, which goes on", async () => {
  const said = await run("os.system('setsid sleep 401 & sleep 402 & kill -STOP $!')");
  expect((said.killed as string[]).join("\n")).toMatch(/sleep 401(.|\n)*sleep 402/);
  const late = await run("os.fork(); time.sleep(99)", { timeout_ms: 1_000 });
  expect(late).toMatchObject({ timed_out: true, died: false, zygote_restarted: false });
  await run("[os.fork() for _ in range(6)]; time.sleep(99)", { timeout_ms: 1_000 });
  expect((await box.bash("setsid sleep 403 & echo x")).killed.join()).toMatch(/sleep 403/);
  expect((await box.alive()).filter((args) => !args.includes("zygote"))).toEqual([]);
  expect(await run("")).toMatchObject({ zygote_restarted: false, killed: [] });
});

test("an abort kills the payload and keeps the zygote in step", async () => {
  const abort = new AbortController();
  const payload = "open('/workspace/begun', 'w').close(); time.sleep(99)";
  const args = { payload, timeout_ms: 60_000, head: 9, tail: 9 };
  const failed = expect(box.call("zygote_call", args, { signal: abort.signal })).rejects.toThrow(Interrupted);
  await box.has("begun");
  abort.abort();
  await failed;
  expect((await run("report.write(b'next')")).data.toString()).toBe("next");
});

test("a zygote that its child kills or stops is there again for the next call", async () => {
  expect(
    await box.refused("zygote_call", { payload: "os.kill(os.getppid(), 9); time.sleep(9)", timeout_ms: 5_000 }),
  ).toMatch(/^zygote_lost:/);
  expect((await run("report.write(b'again')")).data.toString()).toBe("again");
  const stopped = await run("os.kill(os.getppid(), 19)", { timeout_ms: 700 });
  expect(stopped).toMatchObject({ timed_out: true });
  expect((await run("report.write(b'again')")).data.toString()).toBe("again");
});

test("a zygote that does not start is reported with what it printed", async () => {
  const failing = ["/bin/bash", "-c", "echo no such module >&2; exit 1"];
  expect(await box.refused("zygote", { argv: failing, env: { PATH: "/usr/bin" } })).toMatch(
    /^zygote_lost: .*no such module/,
  );
  expect(await box.alive()).toEqual([]);
});
