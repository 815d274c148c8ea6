import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hostPath } from "../../runner/base/ids.js";
import { openBrowser } from "../helpers/browser.js";
import { drawn, showFile, writePage } from "../helpers/page-file.js";
import { appendRaw, emptySession, fiveTaskSession } from "../helpers/page-session.js";
import { scratch } from "../helpers/scratch.js";
import { soon } from "../helpers/soon.js";

let browser: Browser;
let fiveTasks: string;
const home = hostPath(realpathSync(mkdtempSync(join(tmpdir(), "tilth-page-"))));
beforeAll(async () => {
  browser = await openBrowser();
  fiveTasks = await writePage(await fiveTaskSession(home));
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
  await browser?.close();
  rmSync(home, { recursive: true, force: true });
});

async function shown(hash = "", options = {}): Promise<Page> {
  const { page, complaints, requests } = await showFile(browser, fiveTasks, hash, options);
  expect(complaints).toEqual([]);
  expect(requests).toHaveLength(1);
  return page;
}

/** The distance of the block from the place where a jump puts it. */
function distance(page: Page, id: string): Promise<number> {
  return page.evaluate(`Math.abs(document.getElementById("${id}").getBoundingClientRect().top - 64)`);
}

const marked = (page: Page) => page.locator(".event.marked").getAttribute("id");
const textOf = async (page: Page, selector: string) => (await page.locator(selector).allInnerTexts()).join("\n");
const seqOf = (page: Page, text: string) => page.locator(".event", { hasText: text }).first().getAttribute("id");

describe("the page of a session with five tasks", () => {
  test("has a header, the seed and a timeline", async () => {
    const page = await shown();
    expect(await page.title()).toBe("A todo list · tilth");
    const header = await textOf(page, "header.session");
    expect(header).toContain("stopped: iter cap");
    for (const fact of ["/code/todo", "3 of 5 done", "tilth resume", "of its cap"]) expect(header).toContain(fact);
    const seed = await textOf(page, ".seed");
    for (const said of ["in five steps", "What about dates?", "Nothing shared.", "some-interviewer", "20.5 k"])
      expect(seed).toContain(said);
    expect(await page.locator(".seed li").first().innerText()).toBe("A todo list");
    expect(await page.locator(".timeline > li").count()).toBe(5);
    const states = await page.locator(".timeline > li").evaluateAll((rows) => rows.map((row) => row.className));
    expect(states).toEqual(["done", "done", "done", "failed", "pending"]);
    const marks = await page.locator(".timeline .marks").allInnerTexts();
    expect(marks).toEqual(["✓", "!✓", "✗✓", ""]);
    expect(await page.locator("main, nav, h1").count()).toBe(3);
  });

  test("shows each kind of event in its own form", async () => {
    const page = await shown();
    const call = page.locator(".event.tools").first();
    expect(await call.locator(".line.del").allInnerTexts()).toEqual(["-b = 2\n"]);
    expect(await call.locator(".line.add").allInnerTexts()).toEqual(["+b = 3\n"]);
    expect((await call.locator(".answer").innerText()).trim()).toBe("edited todo/cli.py");
    const given = page.locator(".event", { hasText: "The case of 1" }).first();
    for (const said of ["todo/cli.py:main", "tests/test_a.py", "a detour", "a doubt"])
      expect(await given.innerText()).toContain(said);
    const failed = page.locator(".event.checks.bad").first();
    expect(await failed.innerText()).toContain("AssertionError");
    expect(await failed.innerText()).not.toContain("All checks passed!");
    await page.locator(".timeline a").nth(2).click();
    const rejected = await page.locator(".event.verdicts.bad").innerText();
    for (const said of ["acceptance gap", "an empty file", "todo/store.py:12", "handle it"])
      expect(rejected).toContain(said);
    const prompt = page.locator(".event", { hasText: "to the evaluator" }).first();
    expect(await prompt.innerText()).not.toContain("new line");
    await prompt.locator("summary", { hasText: "Prompt" }).click();
    expect(await prompt.locator(".line.add").innerText()).toContain("+new line");
    const reply = page.locator(".event", { hasText: "some-worker" }).first();
    expect(await reply.innerText()).not.toContain("first read");
    await reply.locator("summary", { hasText: "Reasoning" }).click();
    await soon(() => reply.innerText()).toContain("first read, then write");
    const commits = await textOf(page, ".event.commits");
    expect(commits).toContain("task done");
    const parts = "(1,600 cached, 200 written to the cache, 40 reasoning)";
    expect(commits).toContain(`2,100 tokens ${parts} · $0.0020 · `);
    const roles = page.locator(".event.commits summary", { hasText: "What each role used" }).nth(1);
    await roles.click();
    await soon(() => roles.locator("..").innerText()).toContain(`worker\n2,100 tokens ${parts} · $0.0020`);
    const stats = await page.locator(".stats").innerText();
    expect(stats).toContain("68.3 k\n21.4 k counted, 2.1 % of its cap");
    expect(stats).toContain("52.0 k cached, 6,500 written to the cache, 1,300 reasoning");
    expect(commits).toContain("2 iterations · 1 wasted retry");
  });

  test("is filtered by kind, and a link to a hidden event brings it back", async () => {
    const page = await shown();
    const kindsShown = () =>
      page.locator(".event").evaluateAll((all) => [...new Set(all.map((one) => one.classList[1]))].sort());
    for (const kind of ["tools", "model", "other", "checks"]) await page.locator(`.filter.${kind}`).click();
    await soon(kindsShown).toEqual(["commits", "verdicts"]);
    expect(await page.locator(".filter.tools").getAttribute("aria-pressed")).toBe("false");
    await page.locator(".timeline a").nth(1).click();
    await soon(kindsShown).toEqual(["commits", "other", "verdicts"]);
    await page.locator(".filter.tools").click();
    await soon(kindsShown).toContain("tools");
  });

  test("is searched forwards and backwards, also where nothing was rendered yet", async () => {
    const page = await shown();
    expect(await page.locator(".event", { hasText: "needle-55" }).count()).toBe(0);
    await page.keyboard.press("/");
    await page.keyboard.type("NEEDLE-5");
    const count = page.locator(".count");
    await soon(() => count.innerText()).toBe("11");
    await page.keyboard.press("Enter");
    expect(await count.innerText()).toBe("1 / 11");
    await page.keyboard.press("Shift+Enter");
    expect(await count.innerText()).toBe("11 / 11");
    await soon(() => page.locator(".event.marked").innerText()).toContain("needle-59");
    const painted = await page.evaluate("CSS.highlights.get('found').size");
    expect(painted).toBeGreaterThan(0);
    await page.keyboard.press("Escape");
    expect([await count.innerText(), await page.locator(".marked").count()]).toEqual(["", 0]);
  });

  test("finds text inside a fold, and opens the fold", async () => {
    const page = await shown();
    await page.locator(".search input").fill("thinking about 41");
    await soon(() => page.locator(".count").innerText()).toBe("1");
    await page.keyboard.press("Enter");
    await soon(() => page.locator(".event.marked pre").innerText()).toContain("thinking about 41");
  });

  test("scrolls to the line that a search finds far down in a long text", async () => {
    const session = emptySession(scratch());
    const content = `${"a line of a long prompt\n".repeat(400)}the rare word\n${"and more of it\n".repeat(400)}`;
    const event = { v: 1, seq: 0, ts: "2025-01-01T00:00:00.000Z", type: "prompt_assembled", payload: { content } };
    appendRaw(session, `${JSON.stringify(event)}\n`);
    const { page } = await showFile(browser, await writePage(session));
    await page.locator(".search input").fill("rare word");
    await soon(() => page.locator(".count").innerText()).toBe("1");
    await page.keyboard.press("Enter");
    const top = () => page.evaluate("[...CSS.highlights.get('found') ?? []][0]?.getBoundingClientRect().top ?? -1");
    await soon(top).toBeGreaterThan(64);
    await soon(top).toBeLessThan(900);
  });

  test("opens at the event in the address, also when that belongs to another event's block", async () => {
    const first = await shown();
    const id = await seqOf(first, "The case of 2");
    const answer = `#e${Number(id?.slice(1)) + 1}`;
    const page = await shown(answer);
    await soon(() => marked(page)).toBe(id);
    await soon(() => distance(page, String(id))).toBeLessThan(3);
    await page.locator(".event.marked .place").last().click();
    expect(new URL(page.url()).hash).toBe(answer);
    const far = await shown("#e250");
    await soon(() => far.locator(".event.marked").count()).toBe(1);
    await soon(async () => distance(far, String(await marked(far)))).toBeLessThan(3);
  });

  test("is walked through with the keyboard", async () => {
    const page = await shown();
    await page.keyboard.press("j");
    const first = await marked(page);
    await page.keyboard.press("j");
    const second = await marked(page);
    expect(second).not.toBe(first);
    await page.keyboard.press("k");
    expect(await marked(page)).toBe(first);
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    expect(await page.locator(".event.marked").innerText()).toContain("T-002 begins");
    await page.keyboard.press("p");
    expect(await page.locator(".event.marked").innerText()).toContain("T-001 begins");
    await page.keyboard.press("?");
    expect(await page.getByRole("dialog").innerText()).toContain("next, previous task");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test.each([400, 1920])("is walked through from where the reader is, %i pixels wide", async (width) => {
    const page = await shown("", { viewport: { width, height: 900 } });
    await page.evaluate("scrollTo({ top: 3000, behavior: 'instant' })");
    await soon(() => page.evaluate("Math.round(scrollY)")).toBeGreaterThan(2_500);
    await drawn(page, 100);
    const before = Number(await page.evaluate("scrollY"));
    await page.keyboard.press("j");
    expect(await page.locator(".event.marked").count()).toBe(1);
    expect(Math.abs(Number(await page.evaluate("scrollY")) - before)).toBeLessThan(900);
    await page.keyboard.press("Escape");
    await toTheEnd(page);
    await page.keyboard.press("p");
    expect(await page.locator(".event.marked").innerText()).toContain("T-004 begins");
  });

  test("moves and filters from where the reader scrolled to, not from the marked event", async () => {
    const page = await shown("#e250");
    await soon(() => page.locator(".event.marked").count()).toBe(1);
    const backToTheTop = async () => {
      await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
      await drawn(page, 200);
    };
    await backToTheTop();
    await page.locator(".filter.commits").click();
    await drawn(page, 200);
    expect(await page.evaluate("scrollY")).toBeLessThan(900);
    await backToTheTop();
    await page.keyboard.press("j");
    expect(await marked(page)).toBe("e0");
    await page.keyboard.press("j");
    expect(await marked(page)).toBe("e1");
  });

  test("is light or dark as the system is, until t switches it", async () => {
    const page = await shown("", { colorScheme: "dark" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await ground();
    await page.keyboard.press("t");
    expect(await ground()).not.toBe(dark);
    await page.reload();
    expect(await ground()).not.toBe(dark);
    await page.locator("[aria-label='light or dark']").click();
    expect(await ground()).toBe(dark);
  });

  test.each([400, 800])("shows the time of an event beside its link, %i pixels wide", async (width) => {
    const page = await shown("", { viewport: { width, height: 900 } });
    const apart = await page.evaluate(`[...document.querySelectorAll(".event")].filter((block) => {
      const [time, place] = ["time", ".place"].map((one) => block.querySelector(one).getBoundingClientRect().top);
      return time !== place;
    }).length`);
    expect(apart).toBe(0);
  });

  test.each([400, 800, 1600])("fits a window of %i pixels", async (width) => {
    const page = await shown("", { viewport: { width, height: 900 } });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  });
});

test.each([400, 1600])("a task judged many times keeps its figures on one line, %i pixels wide", async (width) => {
  const session = await fiveTaskSession(scratch());
  const verdict = { verdict: { verdict: "reject", concern: "again" }, task_id: "T-004" };
  for (let seq = 9_000; seq < 9_040; seq += 1) {
    const event = { v: 1, seq, ts: "2025-01-01T00:00:00.000Z", type: "evaluator_verdict", payload: verdict };
    appendRaw(session, `${JSON.stringify(event)}\n`);
  }
  const { page } = await showFile(browser, await writePage(session), "", { viewport: { width, height: 900 } });
  // measured at one moment, because the timeline is drawn anew while its session grows
  const [row, figures, mark] = await page.evaluate<Box[]>(`["", " .used > .dim", " .mark:last-child"].map((inside) => {
    const { height, right } = document.querySelector(".timeline > li:nth-child(4)" + inside).getBoundingClientRect();
    return { height, right };
  })`);
  expect(figures?.height).toBeLessThan(30);
  expect(mark?.right).toBeLessThan(row?.right ?? 0);
});

/** Scrolls to the end. Blocks are drawn when they come into view, and make the page longer or shorter. */
async function toTheEnd(page: Page): Promise<void> {
  let height = 0;
  const growth = async () => {
    const before = height;
    height = Number(
      await page.evaluate(
        "scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' }), document.documentElement.scrollHeight",
      ),
    );
    await drawn(page, 100);
    return height - before;
  };
  await soon(growth).toBe(0);
}

interface Box {
  readonly height: number;
  readonly right: number;
}

describe("a damaged or empty session", () => {
  test("is still shown, with what could not be read", async () => {
    const session = await fiveTaskSession(scratch());
    const { paths } = session.files;
    for (const path of [paths.prd, paths.seedMeta, paths.checkpoint]) writeFileSync(path, '[{"id":');
    appendRaw(
      session,
      'no event at all <b>\n{"v":1,"seq":9000,"ts":"2025-01-01T00:00:00.000Z","type":"later","payload":{"x":1}}\n',
    );
    appendRaw(session, '{"v":1,"seq":9001,"ts":"20');
    const { page, complaints } = await showFile(browser, await writePage(session), "#e9000");
    expect(complaints).toEqual([]);
    const problems = await page.getByRole("alert").innerText();
    for (const name of ["prd.json", "seed-meta.json", "checkpoint.json"]) expect(problems).toContain(name);
    expect(await page.locator(".timeline > li").count()).toBe(4);
    expect(await page.locator(".event.marked").innerText()).toContain('"x": 1');
    expect(await page.locator(".event", { hasText: "no event at all <b>" }).count()).toBe(1);
    expect(readFileSync(paths.chat, "utf8")).not.toContain("9001");
  });

  test("has a page before its first event", async () => {
    const { page, complaints } = await showFile(browser, await writePage(emptySession(scratch())));
    expect([await page.locator("h1").count(), complaints]).toEqual([1, []]);
  });
});

test("only its owner may read the file", () => {
  expect(statSync(fiveTasks).mode & 0o777).toBe(0o600);
});
