import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { loadAssets } from "../../cli/page/assets.js";
import { PageServer } from "../../cli/page/server.js";
import { type HostPath, hostPath } from "../../runner/base/ids.js";
import { EventLog } from "../../runner/session/log/event-log.js";
import type { EventSink } from "../../runner/session/log/events.js";
import { openBrowser } from "../helpers/browser.js";
import { pageFolder } from "../helpers/compiled.js";
import { drawn, type Watched, watchedPage } from "../helpers/page-file.js";
import { beginTask, fiveTaskSession, modelReply, type PageSession, spanOf } from "../helpers/page-session.js";
import { soon } from "../helpers/soon.js";

let browser: Browser;
let home: HostPath;
let session: PageSession;
let server: PageServer;
beforeAll(async () => {
  browser = await openBrowser();
  return () => browser.close();
});
beforeEach(async () => {
  home = hostPath(realpathSync(mkdtempSync(join(tmpdir(), "tilth-live-"))));
  session = await fiveTaskSession(home);
  server = await PageServer.start({ store: session.store, assets: loadAssets(pageFolder()), mask: (text) => text });
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  await server[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

/** Appends to the log as a run does. */
function append(write: (log: EventSink) => void): void {
  using log = EventLog.open(session.files.paths.events, (text) => text);
  write(log);
}

async function opened(hash = ""): Promise<Watched> {
  const watched = await watchedPage(browser);
  await watched.page.goto(`${server.address}s/${session.files.id}/${hash}`);
  const lines = readFileSync(session.files.paths.events, "utf8").trimEnd().split("\n");
  await soon(() => events(watched.page)).toBe(lines.length);
  return watched;
}

const events = async (page: Page) => Number(/(\d+) events/.exec(await page.locator(".stats").innerText())?.[1]);
const scrolled = (page: Page) => page.evaluate("Math.round(scrollY)");

test("a page follows its session: events, counts, states and titles grow, and the reader's place stays", async () => {
  const { page, complaints, requests } = await opened();
  const before = await events(page);
  const states = () => page.locator(".timeline > li").evaluateAll((rows) => rows.map((row) => row.className));
  expect(await states()).toEqual(["done", "done", "done", "failed", "pending"]);
  await page.mouse.wheel(0, 900);
  await soon(() => scrolled(page)).toBe(900);
  append((log) => {
    const none = { retried: [], reconciled: [], plan: [], image_before: null };
    log.append("session_resume", { last_stop: "iter_cap", pending: ["T-005"], image: "sha256:0", ...none });
    beginTask(log, 5);
    modelReply(log, 5, 1);
  });
  await soon(() => events(page)).toBe(before + 5);
  await soon(states).toEqual(["done", "done", "done", "failed", "working"]);
  expect(await page.locator(".session .badge").first().innerText()).toBe("failed");
  session.files.updateCheckpoint({ status: "running" });
  const prd = session.files.loadPrd().map((task) => ({ ...task, title: `${task.title}, anew` }));
  session.files.savePrd(prd);
  await soon(() => page.locator(".timeline").innerText()).toContain("Export, anew");
  expect(await scrolled(page)).toBe(900);
  expect(complaints).toEqual([]);
  expect(requests.every((url) => url.startsWith(server.address))).toBe(true);
});

test("a reader at the end of the page stays at the end, and an answer joins its call", async () => {
  const { page } = await opened();
  const gap = () => page.evaluate("Math.round(document.documentElement.scrollHeight - innerHeight - scrollY)");
  const toEnd = "scrollTo(0, document.documentElement.scrollHeight)";
  for (let round = 0; round < 4; round += 1) {
    await page.evaluate(toEnd);
    await drawn(page, 100);
  }
  const call = { tool: "bash", call_id: "slow" };
  append((log) => {
    beginTask(log, 5);
    log.append("tool_call", { ...spanOf(5, 1), ...call, args: { command: "sleep 1" } });
  });
  const block = page.locator(".event", { hasText: "sleep 1" });
  await soon(() => block.innerText()).toContain("no answer yet");
  append((log) => log.append("tool_result", { ...spanOf(5, 1), ...call, content: "slept well", ms: 1_000 }));
  await soon(() => block.innerText()).toContain("slept well");
  expect(await block.count()).toBe(1);
  await soon(gap).toBeLessThan(5);
});

test("an address with an event opens there, also when the event comes later", async () => {
  const { page } = await opened("#e30");
  await soon(() => page.locator(".event.marked").count()).toBe(1);
  const later = await events(page);
  const { page: waiting } = await opened(`#e${later}`);
  expect(await waiting.locator(".event.marked").count()).toBe(0);
  append((log) => beginTask(log, 5));
  await soon(() => waiting.locator(".event.marked").innerText()).toContain("T-005 begins");
});

test("the page says when its session is gone", async () => {
  const { page } = await opened();
  const state = page.locator(".connection");
  await soon(() => state.innerText()).toBe("live");
  rmSync(session.files.paths.folder, { recursive: true });
  await soon(() => state.innerText()).toBe("the session is gone");
});

test("the list says when it has lost its server", async () => {
  const { page } = await watchedPage(browser);
  await page.goto(server.address);
  const state = page.locator(".connection");
  await soon(() => state.innerText()).toBe("live");
  await server[Symbol.asyncDispose]();
  await soon(() => state.innerText()).toMatch(/connection lost|the server has ended/);
  server = await PageServer.start({ store: session.store, assets: loadAssets(pageFolder()), mask: (text) => text });
});

test("the list shows every session, follows them, and links to each", async () => {
  const { page, complaints } = await watchedPage(browser);
  await page.goto(server.address);
  const rows = page.locator(".sessions > li");
  await soon(() => rows.allInnerTexts()).toEqual([expect.stringContaining("3 done, 1 failed, 1 pending")]);
  await fiveTaskSession(home);
  await soon(() => rows.count()).toBe(2);
  await rows.locator("a", { hasText: session.files.id }).click();
  await soon(() => page.locator(".timeline > li").count()).toBe(5);
  await page.locator(".button", { hasText: "all sessions" }).click();
  await soon(() => rows.count()).toBe(2);
  expect(complaints).toEqual([]);
});
