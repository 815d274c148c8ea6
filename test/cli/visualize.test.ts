import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostPath } from "../../runner/base/ids.js";
import { appendRaw, fiveTaskSession, type PageSession } from "../helpers/page-session.js";
import { canaryKey } from "../helpers/scripted-model.js";
import { soon } from "../helpers/soon.js";
import { Tilth } from "../helpers/tilth.js";

async function withSession(env: Record<string, string> = {}): Promise<{ tilth: Tilth; session: PageSession }> {
  const tilth = new Tilth(env);
  mkdirSync(tilth.home, { mode: 0o700 });
  return { tilth, session: await fiveTaskSession(hostPath(tilth.home)) };
}

test("visualize writes the page of the latest session, names the session, and prints the page's path", async () => {
  const { tilth, session } = await withSession({ TILTH_API_KEY: canaryKey });
  using _ = tilth;
  const { paths, id } = session.files;
  appendRaw(
    session,
    `{"v":1,"seq":900,"ts":"2025-01-01T00:00:00.000Z","type":"odd","payload":{"said":"${canaryKey}"}}\n`,
  );
  const { code, stdout, stderr } = await tilth.run(["visualize"]);
  expect([code, stdout]).toEqual([0, `${paths.chat}\n`]);
  expect(stderr).toBe(`the latest session is ${id}, failed: A todo list\n`);
  const page = readFileSync(paths.chat, "utf8");
  expect(page).toContain("[masked key]");
  expect(page).not.toContain(canaryKey);
  expect(statSync(paths.chat).mode & 0o777).toBe(0o600);
  const before = readdirSync(paths.folder);
  expect(await tilth.run(["visualize", id])).toMatchObject({ code: 0, stderr: "" });
  expect(readdirSync(paths.folder)).toEqual(before);
});

test.each([
  [["visualize", "../x"], '"../x" is not a session id'],
  [["visualize", "20250101-000000-000000", "--serve"], "there is no session 20250101-000000-000000"],
  [["visualize"], "there are no sessions yet"],
])("%j without such a session gives one sentence, one remedy and exit 2", async (args, says) => {
  using tilth = new Tilth();
  const { code, stdout, stderr } = await tilth.run(args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^tilth: [^\n]+\n {2}→ [^\n]+\n$/);
  expect(stderr).toContain(says);
});

test("a page that cannot be written is an error with its remedy, and leaves nothing behind", async () => {
  const { tilth, session } = await withSession();
  using _ = tilth;
  const { paths } = session.files;
  mkdirSync(join(paths.chat, "in the way"), { recursive: true });
  const before = readdirSync(paths.folder);
  const { code, stderr } = await tilth.run(["visualize", session.files.id]);
  expect([code, stderr]).toEqual([
    5,
    expect.stringMatching(/^tilth: could not write [^\n]+chat\.html: [^\n]+\n {2}→ /),
  ]);
  expect(readdirSync(paths.folder)).toEqual(before);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "--serve prints its address, and %s ends it at once, open streams included",
  async (signal) => {
    const { tilth, session } = await withSession();
    using _ = tilth;
    const { id } = session.files;
    const running = tilth.start(["visualize", id, "--serve"]);
    await running.said(/Ctrl-C ends it/);
    await soon(() => running.stdout).toMatch(/all sessions: /);
    const [, address = ""] =
      /^session \S+: (http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/s\/[\w-]+\/)$/m.exec(running.stdout) ?? [];
    const first = await new Promise<string>((resolve, reject) => {
      get(`${address}events`, (answer) => {
        answer
          .setEncoding("utf8")
          .once("data", resolve)
          .on("error", () => undefined);
      }).on("error", reject);
    });
    expect(first).toContain("event: facts");
    const asked = performance.now();
    running.process.kill(signal);
    expect(await running.ended).toMatchObject({ code: 130, stderr: expect.stringContaining("tilth: interrupted\n") });
    // a connection that is still open would be waited for nine seconds
    expect(performance.now() - asked).toBeLessThan(6_000);
  },
);
