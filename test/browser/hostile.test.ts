import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type EventType, eventPayloads } from "../../runner/session/log/events.js";
import { openBrowser } from "../helpers/browser.js";
import { showFile, watchedPage, writePage } from "../helpers/page-file.js";
import { emptySession, type PageSession } from "../helpers/page-session.js";
import { scratch } from "../helpers/scratch.js";
import { soon } from "../helpers/soon.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const elsewhere = "http://127.0.0.1:9";
const attacks = [
  "<script>alert('script')</script>",
  "</script><script>alert('closed')</script>",
  `<img src='${elsewhere}/image' onerror=alert('image')>`,
  "<svg onload=alert('svg')><a href='javascript:alert(1)'>x</a></svg>",
  "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
  `"><link rel=stylesheet href='${elsewhere}/style'><base href='${elsewhere}/'>`,
  "javascript:alert('address')",
  "<!--<script>",
  "\u202egnp.exe\u202c \u2066isolated\u2069 zero\u200bwidth \u{e0041}tag",
  "\u001b]0;title\u0007\u001b[2J\u0000\u0085\u009b31m\u2028\u2029\u007f",
  "\ud800 a half",
  "__proto__ constructor toString",
];
const attack = attacks.join("\n");
const acting =
  /(?![\n\t])[\p{Cc}\u2028\u2029\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

interface Shape {
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
}

/**
 * Makes a value of that shape with the attack in every text, whatever the schema says about it, and in every free name.
 */
function spoilt(shape: Shape, deep = 0): unknown {
  const texts = shape.anyOf?.find(({ type }) => type === "string") ?? shape.anyOf?.find(({ type }) => type !== "null");
  if (deep > 6) return attack;
  if (texts) return spoilt(texts, deep + 1);
  if (shape.type === "array") return [spoilt(shape.items ?? {}, deep + 1), attack];
  if (shape.type === "integer" || shape.type === "number") return 3;
  if (shape.type === "boolean") return false;
  if (shape.type !== "object") return attack;
  const free =
    typeof shape.additionalProperties === "object" ? { [attack]: spoilt(shape.additionalProperties, deep + 1) } : {};
  const named = Object.entries(shape.properties ?? {}).map(([name, one]) => [name, spoilt(one, deep + 1)]);
  return { ...Object.fromEntries(named), ...free };
}

const types = Object.keys(eventPayloads) as EventType[];

/** One event of each type; each type again with a bare text in every place; and events of unknown types. */
function hostileLines(): string {
  const payloads = types.map((type) => [type, spoilt(z.toJSONSchema(eventPayloads[type]) as Shape)] as const);
  const bare = types.map((type) => [type, attack] as const);
  const tools = ["bash", "edit_file", "write_file", "submit_case", "ask_user", attack].map(
    (tool) =>
      [
        "tool_call",
        {
          tool,
          call_id: tool,
          args: {
            command: attack,
            path: attack,
            old_string: attack,
            new_string: attack,
            content: attack,
            summary: attack,
            ac_coverage: [{ criterion: attack, addressed_by: attack, evidence: attack }],
            work_arounds: [attack],
            question: attack,
            [attack]: attack,
          },
        },
      ] as const,
  );
  const known = ["accept", "reject"].map(
    (verdict) =>
      [
        "evaluator_verdict",
        {
          task_id: "T-001",
          tree: attack,
          verdict: { verdict, rejection_category: attack, concern: attack, evidence: [attack], next_step: attack },
        },
      ] as const,
  );
  const odd = [
    [attack, { [attack]: attack }],
    ["constructor", { x: 1 }],
    ["__proto__", { toString: attack }],
  ] as const;
  return [...payloads, ...bare, ...tools, ...known, ...odd]
    .map(([type, payload], seq) => `${JSON.stringify({ v: 1, seq, ts: "2025-01-01T00:00:00.000Z", type, payload })}\n`)
    .join("");
}

function hostileSession(): PageSession {
  const session = emptySession(scratch());
  const { files } = session;
  const task = { title: attack, description: attack, acceptance_criteria: [attack], status: "pending" as const };
  files.savePrd([{ id: "T-001", ...task }]);
  const at = "2025-01-01T00:00:00.000Z";
  const notes = { tldr: `- ${attack}`, open_questions: [attack], blockers: [attack], scope_notes: attack };
  const interview = {
    interviewer_model: attack,
    started_at: at,
    ended_at: at,
    tokens: { prompt: 1, completion: 1, total: 2 },
    ...notes,
  };
  files.saveSeedMeta({ ...interview, appended: [interview] });
  files.updateCheckpoint({ source: `/code/${attack}`, image: attack });
  const outside = JSON.stringify({
    v: attack,
    seq: attack,
    ts: attack,
    type: attack,
    payload: attack,
    [attack]: attack,
  });
  writeFileSync(files.paths.events, `${hostileLines()}${attack}\n${outside}\n{"v":1}\n[]\nnull\n`);
  return session;
}

interface PageContent {
  readonly text: string;
  readonly attributes: readonly string[];
  readonly tags: readonly string[];
  readonly links: readonly string[];
}

test("text in any field of any event stays text: it runs nothing, requests nothing and changes nothing", async () => {
  const path = await writePage(hostileSession());
  const { page, complaints, requests } = await showFile(browser, path);
  const parts = (await page.evaluate(`(async () => {
    const moment = () => new Promise((resolve) => setTimeout(resolve, 15));
    const looked = (root) => ({
      text: root.textContent,
      attributes: [...root.querySelectorAll("*")].flatMap((one) => [...one.attributes].map(({ name, value }) => name + "=" + value)),
      tags: [...root.querySelectorAll("*")].map((one) => one.localName),
      links: [...root.querySelectorAll("a")].map((one) => one.getAttribute("href")),
    });
    const parts = new Map([["title", { text: document.title, attributes: [], tags: [], links: [] }]]);
    const comes = (type, to) => new Promise((resolve) => to.addEventListener(type, resolve, { once: true }));
    for (let seq = 0; seq < ${types.length * 2 + 11}; seq += 1) {
      const gone = comes("hashchange", window);
      location.hash = "#e" + seq;
      await gone;
      await moment();
      const block = document.querySelector(".event.marked");
      const opened = [...block.querySelectorAll("details:not([open])")].map((one) => {
        one.open = true;
        return comes("toggle", one);
      });
      await Promise.all(opened);
      await moment();
      for (const one of block.querySelectorAll("button.more")) one.click();
      parts.set(block.id, looked(block));
    }
    for (const one of document.querySelectorAll(".seed details")) one.open = true;
    await moment();
    return [...parts.values(), looked(document.body)];
  })()`)) as PageContent[];
  expect(parts.length).toBeGreaterThan(types.length);
  expect(complaints).toEqual([]);
  expect(requests).toEqual([pathToFileURL(path).href]);
  const seen = {
    text: parts.map(({ text }) => text).join("\n"),
    attributes: parts.flatMap(({ attributes }) => attributes),
    tags: [...new Set(parts.flatMap(({ tags }) => tags))],
    links: parts.flatMap(({ links }) => links),
  };
  expect(acting.exec(seen.text)).toBeNull();
  expect(acting.exec(seen.attributes.join("\n"))).toBeNull();
  expect(seen.text).toContain("\\u{202e}gnp.exe\\u{202c}");
  expect(seen.text).toContain("\\u{001b}[2J");
  expect(seen.tags.filter((tag) => /^(script|img|svg|iframe|link|base|object|style|meta)$/.test(tag))).toEqual([
    "script",
  ]);
  expect(seen.attributes.filter((one) => /^(on|src|style=.*url)/.test(one))).toEqual([]);
  expect(seen.links.filter((href) => !/^#[\w-]+$/.test(href))).toEqual([]);
});

test("the file holds no raw control character, and no script but its own", async () => {
  const text = readFileSync(await writePage(hostileSession()), "utf8");
  expect(acting.exec(text)).toBeNull();
  expect(text.match(/<script/g)?.length).toBe(text.match(/<\/script>/g)?.length);
  expect(text.match(/<script>/g)?.length).toBe(1);
});

test("the file's content policy stops what a hole in the script would let in", async () => {
  const path = await writePage(hostileSession());
  const { page, complaints } = await showFile(browser, path);
  const refused = await page.evaluate(`
    (() => { try { document.body.innerHTML = ${JSON.stringify(attack)}; return "taken"; } catch (error) { return error.name; } })()`);
  expect(refused).toBe("TypeError");
  const fetched = await page.evaluate(`fetch("${elsewhere}/").then(() => "fetched", (error) => error.name)`);
  expect(fetched).toBe("TypeError");
  expect(complaints.join("\n")).toContain("Content Security Policy");
});

test("the same texts do run in a page that takes them for markup", async () => {
  const path = `${scratch()}/naive.html`;
  writeFileSync(
    path,
    `<body><script>const data = ${JSON.stringify({ attack })}; document.body.innerHTML = data.attack;</script>`,
  );
  const { page, complaints, requests } = await watchedPage(browser);
  await page.goto(pathToFileURL(path).href);
  await soon(() => complaints.join("\n")).toContain("a dialog: closed");
  expect(requests.length).toBeGreaterThan(1);
});
