import { expect, test } from "vitest";
import { z } from "zod";
import { Output } from "../../cli/output/output.js";
import { InterviewProgress } from "../../cli/watch/interview-progress.js";
import { Progress } from "../../cli/watch/progress.js";
import { RunState } from "../../cli/watch/run-state.js";
import type { HostPath } from "../../runner/base/ids.js";
import { ContextFull } from "../../runner/model/port/model-client.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { SessionStore } from "../../runner/session/store.js";
import { noUsage } from "../../runner/session/summary/usage.js";
import { Registry } from "../../runner/tools/tool/registry.js";
import { tool } from "../../runner/tools/tool/tool.js";
import { submitCase } from "../../runner/tools/worker/submit-case.js";
import type { WorkerContext } from "../../runner/tools/worker/worker-context.js";
import { writeFile } from "../../runner/tools/worker/write-file.js";
import { openBrowser } from "../helpers/browser.js";
import { never } from "../helpers/git-repo.js";
import { type LoopRun, LoopSession } from "../helpers/loop-session.js";
import { accept, calls, solve } from "../helpers/loop-turns.js";
import { showFile, writePage } from "../helpers/page-file.js";
import { scratch } from "../helpers/scratch.js";

const input = z.strictObject({ place: z.string().min(1), before: z.string(), after: z.string() });

/** An eighth tool, whose name stands nowhere else. */
const swap = tool<z.infer<typeof input>, WorkerContext>({
  name: "swap_words",
  description: "Swaps words.",
  input,
  main: "place",
  inInterview: "swapping words in",
  drawn: { as: "change", from: "before", to: "after" },
  answerLines: 2,
  run: async ({ place, before, after }) =>
    [`swapped in ${place}`, ...`${before} for ${after} `.repeat(100).split(" ")].join("\n"),
});

const tools = new Registry<WorkerContext>([writeFile, swap], [submitCase]);
const asked = { place: "todo/cli.py", before: "old words", after: "new words" };
const full = new ContextFull("too long");

async function played(home: HostPath): Promise<{ readonly session: LoopSession; readonly run: LoopRun }> {
  const session = await LoopSession.open({ home, tools });
  const wrong = calls(["swap_words", { ...asked, place: 7 }]);
  const worker = [wrong, calls(["swap_words", asked]), calls(["swap_words", asked]), full, solve(1)];
  return { session, run: await session.run({ worker, evaluator: [accept] }) };
}

/** The lines on which a person follows these events. */
async function linesOf(events: readonly TilthEvent[], follow: (output: Output) => (event: TilthEvent) => void) {
  let text = "";
  const sink = async (bytes: Buffer) => {
    text += bytes.toString();
  };
  const target = { sink, terminal: false, coloured: false, columns: () => Number.POSITIVE_INFINITY, rows: () => 24 };
  const output = new Output(target, target);
  const show = follow(output);
  for (const event of events) show(event);
  await output.drain(AbortSignal.abort());
  return text;
}

test("a tool that is declared in one place is offered, checked, run, folded, followed and drawn", async () => {
  const home = scratch();
  const { session, run } = await played(home);
  expect(run.reason).toBe("all_done");
  const requests = run.model.of("worker");
  expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["write_file", "swap_words", "submit_case"]);
  expect(run.answers[0]).toMatch(/^swap_words was not run:\nplace: /);
  expect(run.answers[1]).toMatch(/^swapped in todo\/cli\.py\nold\n/);
  expect(run.of("context_folded")[0]?.lines[0]).toContain('swap_words "todo/cli.py"');

  const events = run.events.filter(({ type }) => type === "tool_call").slice(1, 2);
  const lines = await linesOf(events, (output) => {
    const progress = new Progress(output, [], { looks: tools.looks });
    return (event) => progress.show(event);
  });
  expect(lines).toContain("2 swap_words todo/cli.py\n");
  const interview = await linesOf(events, (output) => {
    const progress = new InterviewProgress(output, never, tools.looks);
    return (event) => progress.show(event);
  });
  expect(interview).toBe("swapping words in todo/cli.py\n");
  const state = new RunState({ prd: [], used: noUsage() }, 0, tools.looks);
  for (const event of events) state.heard(event, 1);
  expect(state.doing).toBe("swap_words todo/cli.py");

  const page = await writePage({ store: new SessionStore(home), files: session.files }, tools.looks);
  const browser = await openBrowser();
  try {
    const shown = await showFile(browser, page);
    const call = shown.page.locator(".event.tools", { hasText: "swapped in" }).first();
    expect(await call.locator(".title").textContent()).toBe("todo/cli.py");
    expect(await call.locator(".line.del").allInnerTexts()).toEqual(["-old words\n"]);
    expect(await call.locator(".line.add").allInnerTexts()).toEqual(["+new words\n"]);
    expect(await call.locator(".answer .line").count()).toBe(2);
    const given = shown.page.locator(".event.verdicts", { hasText: "It is done." }).first();
    expect(await given.locator(".label").textContent()).toMatch(/^case$/i);
    expect(shown.complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});
