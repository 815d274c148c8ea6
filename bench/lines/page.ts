import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { commitId, hostPath } from "../../runner/base/ids.js";
import { packageFolder } from "../../runner/base/package-folder.js";
import { SessionStore } from "../../runner/index.js";
import { chromiumPath, openBrowser } from "../../test/helpers/browser.js";
import type { Bench, Line, Reading } from "../line.js";
import { appendEvents } from "../many-events.js";
import { environmentOf } from "../staged.js";
import { type Spread, spreadOf } from "../statistics.js";

const events = 100_000;
const opened = "page of 100,000 events, opened in Chromium";
const scrolled = "the same, scrolled: a frame, p95";

export const page: Line = {
  name: "page",
  async measure(bench) {
    const store = new SessionStore(hostPath(bench.settings.home));
    const files = store.create({ source: hostPath(bench.folder), baseCommit: commitId("1".repeat(40)) });
    appendEvents(files.paths.events, events);
    const { peakMb, ms } = await written(bench, files.id);
    const writing: Reading = {
      what: "page of 100,000 events: memory to write it",
      unit: "MB",
      value: peakMb.median,
      bound: 150,
      of: { "tilth visualize": peakMb },
      note: `written in ${(ms.median / 1000).toFixed(2)} s, the start of Node included`,
    };
    return [writing, ...(await shown(bench, files.paths.chat))];
  },
};

async function written(bench: Bench, id: string): Promise<{ readonly peakMb: Spread; readonly ms: Spread }> {
  const report = join(bench.folder, "page-peak");
  const preload = ["--import", join(packageFolder, "bench/peak-memory.js")];
  const [peaks, times]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < bench.times(3); turn += 1) {
    const began = performance.now();
    const child = spawn(process.execPath, [...preload, join(packageFolder, "dist/cli/main.js"), "visualize", id], {
      env: { ...environmentOf(bench.settings, "http://127.0.0.1:9/v1"), TILTH_BENCH_PEAK: report },
      stdio: "ignore",
    });
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`tilth visualize ended with ${code}`);
    times.push(performance.now() - began);
    peaks.push(Number(readFileSync(report, "utf8")) / 1024);
  }
  return { peakMb: spreadOf(peaks), ms: spreadOf(times) };
}

async function shown(bench: Bench, path: string): Promise<readonly Reading[]> {
  if (chromiumPath() === null) {
    const note = "there is no Chromium on this machine";
    return [
      { what: opened, unit: "s", value: null, bound: 3, of: {}, note },
      { what: scrolled, unit: "ms", value: null, bound: 50, of: {}, note },
    ];
  }
  const browser = await openBrowser();
  try {
    return await measured(browser, pathToFileURL(path).href, bench.times(5));
  } finally {
    await browser.close();
  }
}

async function measured(browser: Browser, address: string, times: number): Promise<readonly Reading[]> {
  const [first, whole, frames]: [number[], number[], number[]] = [[], [], []];
  for (let turn = 0; turn < times; turn += 1) {
    const view = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    const began = performance.now();
    await view.goto(address, { waitUntil: "commit" });
    await view.waitForSelector(".event");
    first.push(performance.now() - began);
    await view.waitForSelector("[data-complete]", { state: "attached" });
    await view.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    whole.push(performance.now() - began);
    frames.push(...(await framesOfScroll(view)));
    await view.close();
  }
  const [blocks, all, frame] = [spreadOf(first), spreadOf(whole), spreadOf(frames)];
  const of = { "to its first blocks": blocks, "to its last event, counted and drawn": all };
  return [
    { what: opened, unit: "s", value: all.median / 1000, bound: 3, of },
    { what: scrolled, unit: "ms", value: frame.p95, bound: 50, of: { "120 pixels each": frame } },
  ];
}

/** Scrolls through some hundred blocks that were not drawn before. */
async function framesOfScroll(view: Page): Promise<readonly number[]> {
  return (await view.evaluate(`(async () => {
    const frames = [];
    for (let last = performance.now(); frames.length < 300; ) {
      scrollBy({ top: 120, behavior: "instant" });
      await new Promise((drawn) => requestAnimationFrame(drawn));
      const now = performance.now();
      frames.push(now - last);
      last = now;
    }
    return frames;
  })()`)) as number[];
}
