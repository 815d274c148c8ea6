import { existsSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exitCodeOfStop } from "../../cli/output/exit-codes.js";
import { Interrupted, TilthError } from "../../runner/base/errors.js";
import { ResidentRefusal } from "../../runner/hands/pipe/channel-errors.js";
import type { Clerk } from "../../runner/hands/ports/clerk.js";
import { HandsLost } from "../../runner/hands/ports/hands.js";
import { ContextFull } from "../../runner/model/port/model-client.js";
import { taskFailure } from "../../runner/session/log/events/outcome.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, bash, calls, empty, quiet, reject, solve, submit, write } from "../helpers/loop-turns.js";

type Arranged = Awaited<ReturnType<typeof LoopSession.open>>;
type Script = Parameters<Arranged["run"]>[0];

interface Row {
  readonly reason: Parameters<typeof exitCodeOfStop>[0];
  readonly when: string;
  readonly options?: Parameters<typeof LoopSession.open>[0];
  /** arranges the fault, and gives the script of the models */
  readonly script: (session: Arranged, stopping: AbortController) => Script;
  readonly first: string;
  readonly session: string;
  readonly exit: number;
}

const failed = { first: "failed", session: "failed", exit: 1 };
const capped = { first: "done", session: "running", exit: 4 };
const infra = { first: "pending", session: "running", exit: 5 };
const looking = calls(bash("ls"));
const engineDown = () => new TilthError("infra", "the engine does not answer", "start it");
const fails = (error: Error) => async () => {
  throw error;
};

const rows: readonly Row[] = [
  {
    reason: "all_done",
    when: "every task was accepted",
    options: { tasks: 1 },
    script: () => ({ worker: [solve(1)], evaluator: [accept] }),
    first: "done",
    session: "all_done",
    exit: 0,
  },
  {
    reason: "all_done",
    when: "the last task used up what the caps allow",
    options: { tasks: 1, caps: { maxTokens: 1, maxCostUsd: 0.01 } },
    script: () => ({ worker: [{ ...solve(1), cost: 5 }], evaluator: [accept] }),
    first: "done",
    session: "all_done",
    exit: 0,
  },
  {
    reason: "iter_cap",
    when: "as many replies were spent as a task may have",
    options: { caps: { maxIterationsPerTask: 3 } },
    script: () => ({ worker: [looking, quiet, empty] }),
    ...failed,
  },
  {
    reason: "evaluator_cap",
    when: "the evaluator rejected the last case it may be asked about",
    options: { caps: { maxEvaluatorCallsPerTask: 2 } },
    script: () => ({ worker: [solve(1), calls(submit())], evaluator: [reject(), reject()] }),
    ...failed,
  },
  { reason: "no_case", when: "the worker went quiet", script: () => ({ worker: [quiet, quiet, quiet] }), ...failed },
  {
    reason: "empty_responses",
    when: "nothing came back three times in a row",
    script: () => ({ worker: [empty, empty, empty] }),
    ...failed,
  },
  {
    reason: "hands_lost",
    when: "the work container went away under three calls",
    script: ({ hands }) => {
      hands.work.bash = fails(new HandsLost("work", "gone"));
      return { worker: [looking, looking, looking] };
    },
    ...failed,
  },
  {
    reason: "wall_clock",
    when: "the time is up, to the minute",
    options: { caps: { maxWallClockMinutes: 30 } },
    script: ({ clock }) => {
      const slowly = () => {
        clock.pass(30 * 60_000);
        return accept;
      };
      return { worker: [solve(1)], evaluator: [slowly] };
    },
    ...capped,
  },
  {
    reason: "token_cap",
    when: "exactly as many tokens are used as may be",
    options: { caps: { maxTokens: 240 } },
    script: () => ({ worker: [solve(1)], evaluator: [accept] }),
    ...capped,
  },
  {
    reason: "cost_cap",
    when: "exactly as much is spent as may be",
    options: { caps: { maxCostUsd: 0.75 } },
    script: () => ({ worker: [{ ...solve(1), cost: 0.5 }], evaluator: [{ ...accept, cost: 0.25 }] }),
    ...capped,
  },
  {
    reason: "infra",
    when: "the worker's model cannot be reached",
    script: () => ({ worker: [new TilthError("infra", "no answer for ten minutes", "")] }),
    ...infra,
  },
  {
    reason: "infra",
    when: "the worker's conversation fits no context and there is nothing to drop",
    script: () => ({ worker: [new ContextFull("too long")] }),
    ...infra,
  },
  {
    reason: "infra",
    when: "the evaluator's model cannot be reached",
    script: () => ({ worker: [solve(1)], evaluator: [new TilthError("infra", "no answer", "")] }),
    ...infra,
  },
  {
    reason: "infra",
    when: "the evaluator answers nothing three times in a row",
    script: () => ({ worker: [solve(1)], evaluator: [empty, empty, empty] }),
    ...infra,
  },
  {
    reason: "infra",
    when: "the engine fails during a tool call",
    script: ({ hands }) => {
      hands.work.bash = fails(engineDown());
      return { worker: [looking] };
    },
    ...infra,
  },
  {
    reason: "infra",
    when: "the engine fails during a check",
    script: ({ hands }) => {
      hands.checks.run = fails(engineDown());
      return { worker: [solve(1)] };
    },
    ...infra,
  },
  {
    reason: "infra",
    when: "the clerk's container is lost",
    script: ({ hands }) => {
      hands.clerk.snapshot = fails(new HandsLost("clerk", "gone"));
      return { worker: [solve(1)] };
    },
    ...infra,
  },
  {
    reason: "infra",
    when: "the work container does not come up at all",
    script: ({ hands }) => {
      hands.work.start = fails(new HandsLost("work", "did not come up"));
      return { worker: [looking] };
    },
    ...infra,
  },
  {
    reason: "infra",
    when: "the clerk's repository cannot be filled",
    script: ({ hands }) => {
      hands.clerk.open = fails(new HandsLost("clerk", "gone"));
      return { worker: [looking] };
    },
    ...infra,
  },
  {
    reason: "provider_denied",
    when: "the provider refuses the key",
    script: () => ({ worker: [new TilthError("provider_denied", "401", "check the key")] }),
    ...infra,
  },
  {
    reason: "provider_denied",
    when: "the provider refuses the evaluator's model",
    script: () => ({ worker: [solve(1)], evaluator: [new TilthError("provider_denied", "404", "check the name")] }),
    ...infra,
  },
  {
    reason: "branch_moved",
    when: "somebody moved the branch while the task was judged",
    script: ({ branch }) => {
      const meanwhile = () => {
        branch.at = branch.base;
        return accept;
      };
      return { worker: [solve(1)], evaluator: [meanwhile] };
    },
    ...infra,
  },
  {
    reason: "branch_moved",
    when: "somebody moved the branch before the task began",
    script: ({ branch }) => {
      branch.at = branch.base;
      return {};
    },
    ...infra,
  },
  {
    reason: "interrupted",
    when: "the person stops it while a model thinks",
    script: (_, stopping) => {
      const meanwhile = () => {
        setImmediate(() => stopping.abort(new Interrupted()));
        return "hang" as const;
      };
      return { worker: [solve(1)], evaluator: [meanwhile] };
    },
    ...infra,
    exit: 130,
  },
  {
    reason: "interrupted",
    when: "the person stops it while a command runs",
    script: ({ hands }, stopping) => {
      hands.work.bash = async () => {
        stopping.abort(new Interrupted());
        throw new Interrupted();
      };
      return { worker: [looking] };
    },
    ...infra,
    exit: 130,
  },
  {
    reason: "error",
    when: "tilth has a bug",
    script: () => ({ worker: [new TypeError("undefined is not a function")] }),
    first: "pending",
    session: "failed",
    exit: 70,
  },
];

describe("a run", () => {
  it.each(rows)("stops as $reason when $when", async (row) => {
    const session = await LoopSession.open({ tasks: 2, ...row.options });
    const stopping = new AbortController();
    const run = await session.run(row.script(session, stopping), { signal: stopping.signal });

    expect(run.reason).toBe(row.reason);
    expect(exitCodeOfStop(row.reason)).toBe(row.exit);
    expect(session.statuses[0]).toBe(row.first);
    expect(session.statuses.slice(1)).toEqual(session.statuses.slice(1).map(() => "pending"));
    expect(session.files.loadCheckpoint().status).toBe(row.session);
    expect(run.types.at(-1)).toBe("stop");
    expect(run.of("stop")).toEqual([run.end.stop]);
    expect(session.files.loadSummary()).toEqual(run.end.summary);
    expect(run.end.summary.stop?.reason).toBe(row.reason);
    expect(existsSync(session.files.paths.partialPatch)).toBe(row.reason !== "all_done");
    expect(session.hands.discarded).toBe(row.reason === "all_done");
    const failure = taskFailure.safeParse(row.reason);
    expect(run.of("task_failed").map(({ reason }) => reason)).toEqual(failure.success ? [row.reason] : []);
    const done = row.first === "done" ? ["T-001\tdone\tTitle of 1\n"] : [];
    const line = failure.success ? [`T-001\tfailed:${row.reason}\tTitle of 1\n`] : done;
    expect(session.files.progress()).toEqual(line.map((text) => text.trimEnd()));
  });

  it("keeps the error that stopped it, which for a bug is the bug with its stack", async () => {
    const bug = new TypeError("undefined is not a function");
    const [broken, down, quiet] = [await LoopSession.open(), await LoopSession.open(), await LoopSession.open()];
    const outage = engineDown();
    expect((await broken.run({ worker: [bug] })).end.cause).toBe(bug);
    expect((await down.run({ worker: [outage] })).end.cause).toBe(outage);
    expect((await quiet.run({ worker: [{}, {}, {}] })).end.cause).toBeNull();
  });

  it("stops as infra when a container could not do its work, and as a bug when it was asked for nonsense", async () => {
    const [failing, asking] = [await LoopSession.open(), await LoopSession.open()];
    const refusal = (code: "io" | "usage") => new ResidentRefusal(code, "exec: Cannot allocate memory.");
    expect((await failing.run({ worker: [refusal("io")] })).reason).toBe("infra");
    expect((await asking.run({ worker: [refusal("usage")] })).reason).toBe("error");
  });

  it("stops with what is wrong and what to do about it, in the words of whoever noticed", async () => {
    const session = await LoopSession.open();
    const run = await session.run({ worker: [new TilthError("provider_denied", "the key is refused", "set another")] });
    expect(run.of("stop")).toEqual([{ reason: "provider_denied", detail: "the key is refused", hint: "set another" }]);
  });

  it("does not stop in the middle of a task for a cap", async () => {
    const session = await LoopSession.open({ caps: { maxTokens: 1, maxWallClockMinutes: 1, maxCostUsd: 0.01 } });
    const slowly = () => {
      session.clock.pass(3_600_000);
      return { ...looking, cost: 1 };
    };
    const run = await session.run({ worker: [slowly, slowly, solve(1)], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
  });

  it("stops before the first task when an earlier run met a cap", async () => {
    const session = await LoopSession.open({ tasks: 3, caps: { maxTokens: 240 } });
    expect((await session.run({ worker: [solve(1)], evaluator: [accept] })).reason).toBe("token_cap");
    const again = await session.run({});
    expect([again.reason, again.types]).toEqual(["token_cap", expect.not.arrayContaining(["model_call"])]);
    expect(session.statuses).toEqual(["done", "pending", "pending"]);
  });

  it("stops as infra when the work container is not isolated, names the item, and runs nothing in it", async () => {
    const session = await LoopSession.open();
    const items = [
      { name: "capabilities", passed: true, seen: "none" },
      { name: "interfaces", passed: false, seen: "lo, eth0" },
    ];
    session.hands.work.start = async () => ({ passed: false, items, leftOut: [], openTo: [] });
    const run = await session.run({ worker: [calls(bash("id"))] });
    expect(run.end.stop).toMatchObject({ reason: "infra", detail: expect.stringContaining("interfaces (lo, eth0)") });
    expect(run.of("isolation_receipt")).toMatchObject([{ passed: false, items }]);
    expect(session.hands.work.commands).toEqual([]);
    expect(session.statuses).toEqual(["pending"]);
  });

  it("logs nothing after its stop, however slowly a container starts", async () => {
    const session = await LoopSession.open();
    const started = session.hands.work.start.bind(session.hands.work);
    session.hands.work.start = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return started();
    };
    const run = await session.run({ worker: [new TilthError("provider_denied", "401", "")] });
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(run.types.slice(-2)).toEqual(["isolation_receipt", "stop"]);
  });

  it("fails as trouble of the disk, not as a precondition, when its state disappears under it", async () => {
    const session = await LoopSession.open();
    const meanwhile = () => {
      rmSync(session.files.paths.checkpoint);
      return new TilthError("infra", "the endpoint is down", "");
    };
    await expect(session.run({ worker: [meanwhile] })).rejects.toMatchObject({
      code: "infra",
      message: expect.stringContaining("checkpoint.json is missing"),
    });
  });

  it("stops without another word once another process has the lock", async () => {
    const session = await LoopSession.open();
    const lost = new AbortController();
    const taken = new TilthError("busy", "the lock was taken", "leave it");
    const meanwhile = () => {
      setImmediate(() => lost.abort(taken));
      return "hang" as const;
    };
    await expect(session.run({ worker: [meanwhile] }, { signal: lost.signal })).rejects.toBe(taken);
    expect(session.files.loadCheckpoint().status).toBe("running");
    expect(existsSync(session.files.paths.partialPatch)).toBe(false);
  });
});

describe("failed work", () => {
  it("is kept as a patch against the last accepted tree, and not committed", async () => {
    const session = await LoopSession.open({ tasks: 2 });
    const trying = calls(write("half.py", "HALF-DONE\n"));
    const run = await session.run({ worker: [solve(1), trying, quiet, quiet, quiet], evaluator: [accept] });
    expect([run.reason, session.statuses]).toEqual(["no_case", ["done", "failed"]]);
    expect(session.text("partialPatch")).toContain("HALF-DONE");
    expect(session.text("partialPatch")).not.toContain("feature_1");
    expect(session.branch.moves).toHaveLength(1);
  });

  it("is kept when somebody else moved the branch, and nothing dangerous stays", async () => {
    const session = await LoopSession.open();
    let defused = 0;
    session.hands.clerk.defuse = async () => {
      defused += 1;
      return { renamed: ["sub/.git/hooks"], executes: ["Makefile"], problem: null };
    };
    const meanwhile = () => {
      session.branch.at = session.branch.base;
      return accept;
    };
    const run = await session.run({ worker: [solve(1)], evaluator: [meanwhile] });
    expect(run.reason).toBe("branch_moved");
    expect(session.text("partialPatch")).toContain("feature_1.py");
    expect(defused).toBe(1);
    expect(run.of("left_behind")).toEqual([{ executes: ["Makefile"], renamed: ["sub/.git/hooks"], problem: null }]);
    expect(run.end).toMatchObject({ executes: ["Makefile"], renamed: ["sub/.git/hooks"] });
  });

  it("is made harmless once no process of the worker lives any more", async () => {
    const session = await LoopSession.open();
    const { work, clerk } = session.hands;
    const livedThen: boolean[] = [];
    const defuse = clerk.defuse.bind(clerk);
    clerk.defuse = () => {
      livedThen.push(!work.ended);
      return defuse();
    };
    await session.run({ worker: [quiet, quiet, quiet] });
    expect(livedThen).toEqual([false]);
  });

  it("is not called harmless when the worker's container was not seen gone", async () => {
    const session = await LoopSession.open();
    session.hands.work.end = fails(engineDown());
    const run = await session.run({ worker: [quiet, quiet, quiet] });
    expect(run.reason).toBe("no_case");
    const problem = expect.stringMatching(/^the worker's container was not seen gone: /);
    expect(run.of("left_behind")).toEqual([{ executes: [], renamed: [], problem }]);
  });

  it("that cannot be read does not change the stop", async () => {
    const session = await LoopSession.open();
    session.hands.clerk.partialPatch = fails(engineDown());
    session.hands.clerk.defuse = fails(new HandsLost("clerk", "gone"));
    const run = await session.run({ worker: [quiet, quiet, quiet] });
    expect(run.reason).toBe("no_case");
    expect(run.of("left_behind")).toEqual([{ executes: [], renamed: [], problem: "gone" }]);
  });

  it("is listed with files that run on ordinary actions, the branch's first, and how many more there are", async () => {
    const session = await LoopSession.open();
    const clerk: Clerk = session.hands.clerk;
    const [oid, oldOid] = ["1".repeat(40), "0".repeat(40)];
    clerk.changes = async () => [{ path: "b/Makefile", status: "added", mode: "100644", oid, oldOid }];
    clerk.defuse = async () => ({ renamed: [], executes: ["a/Makefile", "z/Makefile", "and 3 more"], problem: null });
    const run = await session.run({ worker: [quiet, quiet, quiet] });
    expect(run.end.executes).toEqual(["b/Makefile", "a/Makefile", "z/Makefile", "and 3 more"]);
  });

  it("that takes for ever to read leaves the time to make the worktree harmless", async () => {
    const session = await LoopSession.open();
    const clerk: Clerk = session.hands.clerk;
    clerk.partialPatch = (_, __, signal) => interruptedBy(signal);
    clerk.changes = async (_, __, signal) => (signal.aborted ? Promise.reject(new Interrupted()) : []);
    clerk.defuse = async (_, signal) => {
      if (signal.aborted) throw new Interrupted();
      return { renamed: ["sub/.git/config"], executes: [], problem: null };
    };
    const run = await session.run({ worker: [quiet, quiet, quiet] });
    const problem = "the branch was not looked through: it took too long";
    expect(run.of("left_behind")).toEqual([{ executes: [], renamed: ["sub/.git/config"], problem }]);
  });
});

function interruptedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Interrupted())));
}
