import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { loadAssets } from "../../cli/page/assets.js";
import { factsOf } from "../../cli/page/facts.js";
import { offlinePage } from "../../cli/page/page.js";
import { writePiecesAtomic } from "../../runner/disk/atomic-file.js";
import { toolLooks } from "../../runner/tools/roles.js";
import type { ToolLooks } from "../../runner/tools/tool/look.js";
import { pageFolder } from "./compiled.js";
import type { PageSession } from "./page-session.js";

const { signal } = new AbortController();

/** Writes the page that `tilth visualize` makes, and gives its path. */
export async function writePage({ store, files }: PageSession, tools: ToolLooks = toolLooks): Promise<string> {
  const facts = { ...factsOf(store, files, false), tools };
  const given = { assets: loadAssets(pageFolder()), facts, events: files.paths.events };
  await writePiecesAtomic(files.paths.chat, offlinePage({ ...given, mask: (text) => text, signal }));
  return files.paths.chat;
}

/** A page of its own in the browser, with its complaints and its requests. */
export interface Watched {
  readonly page: Page;
  /** errors, messages on the console, dialogs */
  readonly complaints: string[];
  readonly requests: string[];
}

export async function watchedPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  page.setDefaultTimeout(30_000);
  const watched: Watched = { page, complaints: [], requests: [] };
  page.on("pageerror", (error) => watched.complaints.push(String(error)));
  page.on("console", (message) => watched.complaints.push(message.text()));
  page.on("dialog", (dialog) => {
    watched.complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => watched.requests.push(request.url()));
  return watched;
}

/** Waits that long, and until everything that came into view is drawn: observers are told of it once a frame. */
export async function drawn(page: Page, ms: number): Promise<void> {
  await page.waitForTimeout(ms);
  await page.evaluate(`new Promise((resolve) => {
    let frames = 0;
    const next = () => (++frames < 4 ? requestAnimationFrame(next) : setTimeout(resolve));
    next();
  })`);
}

export async function showFile(browser: Browser, path: string, hash = "", options: BrowserContextOptions = {}) {
  const watched = await watchedPage(browser, options);
  await watched.page.goto(`${pathToFileURL(path).href}${hash}`);
  await watched.page.waitForSelector("[data-complete]", { state: "attached" });
  return watched;
}
