import type { Command } from "commander";
import type { Surroundings } from "./output/surroundings.js";

/** Runs a verb's work with its surroundings and keeps its exit code. */
export type Run = (work: (around: Surroundings) => Promise<number>) => Promise<void>;

const liveHelp = `
With --live each model gets a question that it has to look up with two tools,
and its calls go back with their results: a few thousand tokens for each model,
and nothing of a repository. A table says what was seen of tools, parallel
calls, reasoning, caching, usage and cost.
`;

/** A verb's own code is loaded only when it is called, so that help and typing errors are answered at once. */
export function settingVerbs(program: Command, run: Run): void {
  program
    .command("init")
    .description("write the settings file from the template")
    .addHelpText("after", example("tilth init"))
    .action(() => run(async (around) => (await import("./commands/init.js")).init(around)));
  program
    .command("doctor")
    .description("check git, engine, image and endpoint; one remedy per problem")
    .option("--live", "ask each model for real, which spends tokens; see below")
    .option("--json", "the findings as JSON")
    .addHelpText("after", liveHelp)
    .addHelpText("after", example("tilth doctor", "tilth doctor --live"))
    .action((options) => run(async (around) => (await import("./commands/doctor.js")).doctor(around, options)));
  program
    .command("config")
    .description("show every setting, its value and where it came from")
    .option("--json", "as JSON")
    .addHelpText("after", example("tilth config", "TILTH_MAX_TOKENS=500000 tilth config --json"))
    .action((options) => run(async (around) => (await import("./commands/config.js")).config(around, options)));
}

export function imageVerbs(program: Command, run: Run): void {
  const image = program
    .command("image")
    .description("hands images and environments on the engine")
    .addHelpText("after", example("tilth image build", "tilth image verify"));
  image
    .command("build")
    .description("build it, from an image registry or else from Debian's packages")
    .option("--base <ref>", "the base image, by digest: name@sha256:…")
    .addHelpText("after", example("tilth image build"))
    .action((options) => run(async (around) => (await import("./commands/image.js")).imageBuild(around, options)));
  image
    .command("ls")
    .description("list hands images, * is the one in use, and environments")
    .addHelpText("after", example("tilth image ls"))
    .action(() => run(async (around) => (await import("./commands/image.js")).imageList(around)));
  image
    .command("prune")
    .description("remove older hands images, and unused environments")
    .addHelpText("after", example("tilth image prune"))
    .action(() => run(async (around) => (await import("./commands/image.js")).imagePrune(around)));
  image
    .command("verify")
    .description("prove that the image matches its recipe")
    .addHelpText("after", example("tilth image verify"))
    .action(() => run(async (around) => (await import("./commands/image.js")).imageVerify(around)));
}

const allowHost = [
  "--allow-host <host>",
  "let the worker reach it: name, name:port, *.suffix; may be repeated",
  (host: string, before: readonly string[] = []) => [...before, host],
] as const;

const trust = ["--trust-source", "accept settings of the source that make git run commands"] as const;

const waitForLimit = ["--wait-for-limit", "wait until a model's daily or weekly limit ends"] as const;

const answersHelp = `
Answers: one per line, or a JSON list of texts and numbers. A number picks an
option. A blank line between answers, and every question after the last one,
counts as "(no answer)". An answer that looks like a key is refused. Whatever
needs a yes, such as showing a file that looks like a secret, gets a no.
`;

export function prepVerb(program: Command, run: Run): void {
  program
    .command("prep-feature")
    .description("make a seed in an interview about the code")
    .argument("<source>", "the git repository")
    .option("--brief <text>", "what to build or change; asked for if left out")
    .option("--answers <file>", "take the answers from a file, for scripts; see below")
    .option("--append <id>", "add tasks to this prepared session")
    .option("--force", "discard the source's sessions that are in flight")
    .option("--keep-existing", "keep them and start another session")
    .option(...trust)
    .option(...waitForLimit)
    .addHelpText("after", answersHelp)
    .addHelpText(
      "after",
      example(
        "tilth prep-feature ~/code/shop",
        'tilth prep-feature ~/code/shop --brief "prices in cents"',
        'tilth prep-feature . --brief "as in docs/plan.md" --answers answers.txt',
        "tilth prep-feature . --append 20260102-101112-a1b2c3",
      ),
    )
    .action((source, options) =>
      run(async (around) => (await import("./commands/prep-feature.js")).prepFeature(around, source, options)),
    );
}

export function workVerbs(program: Command, run: Run): void {
  program
    .command("seed")
    .description("stage a hand-written seed: prd.json and tests/")
    .argument("<source>", "the git repository")
    .requiredOption("--from <dir>", "the folder that holds the seed")
    .option("--force", "discard the source's sessions that are in flight")
    .option("--keep-existing", "keep them and start another session")
    .option(...trust)
    .addHelpText("after", example("tilth seed ~/code/todo --from examples/todo-cli"))
    .action((source, options) =>
      run(async (around) => (await import("./commands/seed.js")).seed(around, source, options)),
    );
  program
    .command("run")
    .description("work through a prepared session, one commit per task")
    .argument("[source]", "the git repository; the current one unless given")
    .option("--session <id>", "run this session instead of the source's prepared one")
    .option("--sandbox", "accepted for clarity; sessions are always sandboxed")
    .option("--runtime <name>", "the engine's runtime, e.g. runsc")
    .option(...allowHost)
    .option(...trust)
    .option(...waitForLimit)
    .option("--json", "print each event as a line of JSON, and nothing else on stdout")
    .option("--quiet", "print only the summary at the end")
    .addHelpText(
      "after",
      example(
        "tilth run --sandbox ~/code/todo",
        "tilth run --session 20260102-101112-a1b2c3",
        "tilth run --json | jq -c .type",
      ),
    )
    .action((source, options) =>
      run(async (around) => (await import("./commands/run.js")).run(around, source, options)),
    );
  program
    .command("resume")
    .description("continue a session that stopped or was killed")
    .argument("[id]", "the session; the latest unless given")
    .option("--runtime <name>", "the engine's runtime, e.g. runsc")
    .option(...allowHost)
    .option(...trust)
    .option(...waitForLimit)
    .option("--json", "print each event as a line of JSON, and nothing else on stdout")
    .option("--quiet", "print only the summary at the end")
    .addHelpText("after", example("tilth resume", "tilth resume 20260102-101112-a1b2c3"))
    .action((id, options) => run(async (around) => (await import("./commands/resume.js")).resume(around, id, options)));
  program
    .command("demo")
    .description("run a whole session of five tasks against a scripted model")
    .option("--live", "use the configured model instead")
    .addHelpText("after", example("tilth demo", "tilth demo --live"))
    .action((options) => run(async (around) => (await import("./commands/demo.js")).demo(around, options)));
}

export function sessionVerbs(program: Command, run: Run): void {
  const sessions = program
    .command("sessions")
    .description("list the sessions, newest first; show <id> for one")
    .option("--json", "as JSON")
    .addHelpText("after", example("tilth sessions", "tilth sessions show 20260102-101112-a1b2c3"))
    .action((options) => run(async (around) => (await import("./commands/sessions.js")).listSessions(around, options)));
  sessions
    .command("show")
    .description("what one session did and used")
    .argument("<id>", "the session")
    .option("--json", "as JSON")
    .addHelpText("after", example("tilth sessions show 20260102-101112-a1b2c3"))
    .action((id, options) =>
      run(async (around) =>
        (await import("./commands/sessions.js")).showSession(around, id, { ...sessions.opts(), ...options }),
      ),
    );
  exportVerb(program, run);
}

const exportHelp = `
One trace per attempt at a task, with the trace and span ids of the log: its
iterations, and in them the model calls (the GenAI conventions of
OpenTelemetry), tool calls, hooks, checks, verdicts and commits. Interview,
staging, runs and stops are a trace of the session's own.

No prompt, reply, tool argument or output is in it; those stay in the log.
Titles of tasks and messages of errors are.

Each line is one request of OTLP over HTTP, of at most 16 MB. There is one line,
unless the session is very long.
`;

function exportVerb(program: Command, run: Run): void {
  program
    .command("export")
    .description("write a session as OpenTelemetry traces on stdout")
    .argument("[id]", "the session; the latest unless given")
    .option("--otlp-json", "as OTLP/JSON, the one format there is")
    .addHelpText("after", exportHelp)
    .addHelpText(
      "after",
      example(
        "tilth export 20260102-101112-a1b2c3 --otlp-json > traces.json",
        "split -l 1 --filter='curl http://localhost:4318/v1/traces --data-binary @- \\\n" +
          '      -H "Content-Type: application/json"\' traces.json',
      ),
    )
    .action((id, options) =>
      run(async (around) => (await import("./commands/export.js")).exportSession(around, id, options)),
    );
}

const pageHelp = `
The page is one file that opens offline: the seed, a timeline of the tasks, and
the whole conversation, with filters and search. With --serve it is live, for
this machine alone: the address has a key in it, so give it to nobody else.
`;

export function pageVerb(program: Command, run: Run): void {
  program
    .command("visualize")
    .description("write a session's page, chat.html, or serve it live")
    .argument("[id]", "the session; the latest unless given")
    .option("--serve", "serve all sessions live until Ctrl-C instead")
    .addHelpText("after", pageHelp)
    .addHelpText("after", example("tilth visualize", "tilth visualize 20260102-101112-a1b2c3 --serve"))
    .action((id, options) =>
      run(async (around) => (await import("./commands/visualize.js")).visualize(around, id, options)),
    );
}

const resetHelp = `
Removes the session's containers and volume, its worktree with everything in
it, the branch session/<id> and the session's folder. Other branches and the
rest of the source stay as they are. The branch's last commit is printed with
the command that brings it back. The branch stays when its source is gone, or
when neither checkpoint.json nor the log says which source it is.
`;

export function resetVerb(program: Command, run: Run): void {
  program
    .command("reset")
    .description("remove a session: containers, worktree, branch and folder")
    .argument("[id]", "the session; the latest unless given")
    .option("-y, --yes", "do not ask")
    .addHelpText("after", resetHelp)
    .addHelpText("after", example("tilth reset 20260102-101112-a1b2c3", "tilth reset 20260102-101112-a1b2c3 -y"))
    .action((id, options) => run(async (around) => (await import("./commands/reset.js")).reset(around, id, options)));
}

export function proofVerbs(program: Command, run: Run): void {
  program
    .command("verify")
    .description("prove a session: run its checks again, compare its record")
    .argument("[id]", "the session; the latest unless given")
    .option("--json", "as JSON")
    .addHelpText("after", example("tilth verify 20260102-101112-a1b2c3"))
    .action((id, options) => run(async (around) => (await import("./commands/verify.js")).verify(around, id, options)));
}

function example(...lines: readonly string[]): string {
  return ["", `Example${lines.length > 1 ? "s" : ""}:`, ...lines.map((line) => `  $ ${line}`)].join("\n");
}
