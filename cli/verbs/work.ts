import type { Command } from "commander";
import { allowHost, example, type Run, trust, waitForLimit } from "./describing.js";

export function workVerbs(program: Command, run: Run): void {
  program
    .command("run")
    .description("work through a prepared session, one commit per task")
    .argument("[source]", "the git repository; the current one unless given")
    .option("--session <id>", "run this session instead of the source's prepared one")
    .option("--sandbox", "accepted for clarity; sessions are always sandboxed")
    .option("--runtime <name>", "the containers' runtime, e.g. runsc")
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
      run(async (around) => (await import("../commands/run.js")).run(around, source, options)),
    );
  program
    .command("resume")
    .description("continue a session that stopped or was killed")
    .argument("[id]", "the session; the latest unless given")
    .option("--runtime <name>", "the containers' runtime, e.g. runsc")
    .option(...allowHost)
    .option(...trust)
    .option(...waitForLimit)
    .option("--json", "print each event as a line of JSON, and nothing else on stdout")
    .option("--quiet", "print only the summary at the end")
    .addHelpText("after", example("tilth resume", "tilth resume 20260102-101112-a1b2c3"))
    .action((id, options) =>
      run(async (around) => (await import("../commands/resume.js")).resume(around, id, options)),
    );
  program
    .command("demo")
    .description("run a whole session of five tasks against a scripted model")
    .option("--live", "use the configured model instead")
    .addHelpText("after", example("tilth demo", "tilth demo --live"))
    .action((options) => run(async (around) => (await import("../commands/demo.js")).demo(around, options)));
}
