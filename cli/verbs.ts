import type { Command } from "commander";
import type { Surroundings } from "./surroundings.js";

/** Gives a verb's work its surroundings and keeps its exit code. */
export type Run = (work: (around: Surroundings) => Promise<number>) => Promise<void>;

/** A verb's own code is loaded when it is called: help and typing errors are answered at once. */
export function settingVerbs(program: Command, run: Run): void {
  program
    .command("init")
    .description("write the settings file from the template")
    .addHelpText("after", example("tilth init"))
    .action(() => run(async (around) => (await import("./commands/init.js")).init(around)));
  program
    .command("doctor")
    .description("look at git, engine, image and endpoint; one remedy per failure")
    .option("--json", "the findings as JSON")
    .addHelpText("after", example("tilth doctor"))
    .action((options) => run(async (around) => (await import("./commands/doctor.js")).doctor(around, options)));
  program
    .command("config")
    .description("every setting, its value and where it came from")
    .option("--json", "as JSON")
    .addHelpText("after", example("tilth config", "TILTH_MAX_TOKENS=500000 tilth config --json"))
    .action((options) => run(async (around) => (await import("./commands/config.js")).config(around, options)));
}

export function imageVerbs(program: Command, run: Run): void {
  const image = program
    .command("image")
    .description("the hands image: build, ls, verify")
    .addHelpText("after", example("tilth image build", "tilth image verify"));
  image
    .command("build")
    .description("make it, from an image registry or else from Debian's packages")
    .option("--base <ref>", "the base, by digest: name@sha256:…")
    .addHelpText("after", example("tilth image build"))
    .action((options) => run(async (around) => (await import("./commands/image.js")).imageBuild(around, options)));
  image
    .command("ls")
    .description("list the hands images on this engine")
    .addHelpText("after", example("tilth image ls"))
    .action(() => run(async (around) => (await import("./commands/image.js")).imageList(around)));
  image
    .command("verify")
    .description("prove that the image matches its recipe")
    .addHelpText("after", example("tilth image verify"))
    .action(() => run(async (around) => (await import("./commands/image.js")).imageVerify(around)));
}

const trust = ["--trust-source", "accept what git would execute in the source's settings"] as const;

export function workVerbs(program: Command, run: Run): void {
  program
    .command("seed")
    .description("stage a hand-written seed: prd.json and tests/")
    .argument("<source>", "the git repository")
    .requiredOption("--from <dir>", "the folder that holds the seed")
    .option("--force", "discard the source's sessions that are in flight")
    .option("--keep-existing", "start alongside them")
    .option(...trust)
    .addHelpText("after", example("tilth seed ~/code/todo --from examples/todo-cli"))
    .action((source, options) =>
      run(async (around) => (await import("./commands/seed.js")).seed(around, source, options)),
    );
  program
    .command("run")
    .description("work through a prepared session, one commit per task")
    .argument("[source]", "the git repository; the current one unless given")
    .option("--session <id>", "this session, not the source's prepared one")
    .option("--sandbox", "always so; there is no other mode")
    .option("--runtime <name>", "the engine's runtime, e.g. runsc")
    .option(...trust)
    .option("--quiet", "nothing but the summary at the end")
    .addHelpText("after", example("tilth run --sandbox ~/code/todo", "tilth run --session 20260102-101112-a1b2c3"))
    .action((source, options) =>
      run(async (around) => (await import("./commands/run.js")).run(around, source, options)),
    );
  program
    .command("demo")
    .description("a whole session of five tasks against a scripted model")
    .option("--live", "with the model that is configured instead")
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
}

function example(...lines: readonly string[]): string {
  return ["", `Example${lines.length > 1 ? "s" : ""}:`, ...lines.map((line) => `  $ ${line}`)].join("\n");
}
