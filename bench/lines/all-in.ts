import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type ScriptedCall, scriptedEndpoints } from "../../runner/demo/script/script.js";
import type { Work } from "../../runner/hands/ports/work.js";
import { pinnedRules } from "../../runner/hands/roles/ruff-rules.js";
import { runSession } from "../../runner/index.js";
import { type Files, makeSource } from "../../test/helpers/sources.js";
import type { Bench, Line, Reading } from "../line.js";
import { PlayedModel, type ReceivedRequest } from "../played-model.js";
import { longModule, pythonFiles } from "../python-files.js";
import { stage, writeSeed } from "../staged.js";
import { spreadOf, timed } from "../statistics.js";
import { calls, nothingLearned } from "../turns.js";
import { openWorkshop } from "../workshop.js";
import { spawned } from "./tool-call.js";

/** Sizes of a usual call; a whole conversation of them comes to some 150 KB. */
const bytes = 1024;
/** masking looks for it in every text, as it does for a person's */
const apiKey = "the-key-of-nobody-0123456789-abcdef";
const text = longModule(bytes);
const files: Files = { ...pythonFiles(200), "read.txt": text, "edited.py": text };
const lint = { rules: pinnedRules, timeoutMs: 30_000 };
const warmUps = 10;
const mostAddedMs = 0.6;

/** A tool as the worker calls it, and the same work asked of a container by nobody. */
interface Kind {
  readonly name: string;
  readonly call: (turn: number) => ScriptedCall;
  readonly alone: (work: Work, turn: number, signal: AbortSignal) => Promise<unknown>;
}

const command: Kind = {
  name: "bash -c true",
  call: () => ["bash", { command: "true" }],
  alone: (work, _, signal) => work.bash("true", 10_000, signal),
};
const kinds: readonly Kind[] = [
  command,
  {
    name: "read_file of 1 KB",
    call: () => ["read_file", { path: "read.txt" }],
    alone: (work, _, signal) => work.readFile({ path: "read.txt", maxBytes: 50 * 1024 }, signal),
  },
  {
    name: "write_file of 1 KB",
    call: () => ["write_file", { path: "written.txt", content: text }],
    alone: (work, _, signal) => work.writeFile({ path: "written.txt", content: Buffer.from(text), lint: null }, signal),
  },
  {
    name: "edit_file of 1 KB with ruff",
    call: (turn) => ["edit_file", { path: "edited.py", ...editOf(turn, "old_string", "new_string") }],
    alone: (work, turn, signal) =>
      work.editFile(
        { path: "edited.py", ...editOf(turn, "oldString", "newString"), maxBytes: 2 * bytes, lint },
        signal,
      ),
  },
];

/** Times calls from the model's reply to the brain's next request, while their conversation grows. */
export const allIn: Line = {
  name: "all-in",
  async measure(bench) {
    const source = mkdtempSync(join(bench.folder, "source-"));
    await makeSource(source, files);
    await using workshop = await openWorkshop(bench, files);
    const { work } = workshop.hands;
    const turns = warmUps + bench.times(80);
    const beside: Beside[] = [];
    await using model = await PlayedModel.start({
      turn: async ({ role, index }) => {
        const turn = Math.floor(index / kinds.length);
        const kind = kinds[index % kinds.length];
        if (role !== "worker" || kind === undefined || turn >= turns) return nothingLearned;
        const alone = await timed(() => kind.alone(work, turn, bench.signal));
        beside.push({ kind, turn, alone, spawn: await timed(() => spawned(workshop.worktree)) });
        return calls(kind.call(turn));
      },
    });
    await runOnce(bench, source, model);
    const asked = model.of("worker");
    const rounds = beside.flatMap((one, at) => (one.turn < warmUps ? [] : [{ ...one, allIn: betweenThem(asked, at) }]));
    const of = (kind: Kind) => rounds.filter((one) => one.kind === kind);
    return [besideSpawn(of(command)), ...kinds.map((kind) => addedIn(kind, of(kind)))];
  },
};

/** Times taken while the brain waited for the model's reply. */
interface Beside {
  readonly kind: Kind;
  readonly turn: number;
  readonly alone: number;
  readonly spawn: number;
}

interface Round extends Beside {
  readonly allIn: number;
}

/** The worker ends by calling no tool three times, so the session ends without its task. */
async function runOnce(bench: Bench, source: string, model: PlayedModel): Promise<void> {
  const staged = await stage(bench, source, writeSeed(bench, 1));
  const settings = { ...bench.settings, endpoints: scriptedEndpoints(model.baseUrl, apiKey) };
  const said = { say: () => undefined, onEvent: () => undefined };
  await runSession({ settings, files: staged, trustSource: false, signal: bench.signal, ...said });
}

function betweenThem(asked: readonly ReceivedRequest[], at: number): number {
  const [before, next] = [asked[at], asked[at + 1]];
  if (before === undefined || next === undefined) throw new Error(`no request followed call ${at}`);
  return next.arrivedAt - before.answeredAt;
}

function addedIn({ name }: Kind, rounds: readonly Round[]): Reading {
  const added = spreadOf(rounds.map(({ allIn: ms, alone }) => ms - alone));
  const of = { added, ...spreadsOf(rounds) };
  return { what: `${name}, all in: added by the brain, p50`, unit: "ms", value: added.median, bound: mostAddedMs, of };
}

function besideSpawn(rounds: readonly Round[]): Reading {
  const of = spreadsOf(rounds);
  const value = of["all in"].median / of["bash -c true spawned on the host"].median;
  return { what: "bash -c true, all in: reply → next request / host spawn", unit: "ratio", value, bound: 1, of };
}

function spreadsOf(rounds: readonly Round[]) {
  return {
    "all in": spreadOf(rounds.map(({ allIn: ms }) => ms)),
    "the same asked of a container by itself": spreadOf(rounds.map(({ alone }) => alone)),
    "bash -c true spawned on the host": spreadOf(rounds.map(({ spawn }) => spawn)),
  };
}

function editOf<K extends string>(turn: number, before: K, after: K): Record<K, string> {
  return { [before]: `marked = ${turn}\n`, [after]: `marked = ${turn + 1}\n` } as Record<K, string>;
}
