import type { Command } from "commander";
import { example, type Run } from "./describing.js";

export function sessionVerbs(program: Command, run: Run): void {
  const sessions = program
    .command("sessions")
    .description("list the sessions, newest first; show <id> for one")
    .option("--json", "as JSON")
    .addHelpText("after", example("tilth sessions", "tilth sessions show 20260102-101112-a1b2c3"))
    .action((options) =>
      run(async (around) => (await import("../commands/sessions.js")).listSessions(around, options)),
    );
  sessions
    .command("show")
    .description("what one session did and used")
    .argument("<id>", "the session")
    .option("--json", "as JSON")
    .addHelpText("after", example("tilth sessions show 20260102-101112-a1b2c3"))
    .action((id, options) =>
      run(async (around) =>
        (await import("../commands/sessions.js")).showSession(around, id, { ...sessions.opts(), ...options }),
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
      run(async (around) => (await import("../commands/export.js")).exportSession(around, id, options)),
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
      run(async (around) => (await import("../commands/visualize.js")).visualize(around, id, options)),
    );
}

const resetHelp = `
Removes the session's containers and what is kept for them, its worktree with
everything in it, the branch session/<id> and the session's folder. Other
branches and the rest of the source stay as they are. The branch's last commit
is printed with the command that brings it back. The branch stays when its
source is gone, or when neither checkpoint.json nor the log says which source
it is.
`;

export function resetVerb(program: Command, run: Run): void {
  program
    .command("reset")
    .description("remove a session: containers, worktree, branch and folder")
    .argument("[id]", "the session; the latest unless given")
    .option("-y, --yes", "do not ask")
    .addHelpText("after", resetHelp)
    .addHelpText("after", example("tilth reset 20260102-101112-a1b2c3", "tilth reset 20260102-101112-a1b2c3 -y"))
    .action((id, options) => run(async (around) => (await import("../commands/reset.js")).reset(around, id, options)));
}

export function proofVerbs(program: Command, run: Run): void {
  program
    .command("verify")
    .description("prove a session: run its checks again, compare its record")
    .argument("[id]", "the session; the latest unless given")
    .option("--json", "as JSON")
    .addHelpText("after", example("tilth verify 20260102-101112-a1b2c3"))
    .action((id, options) =>
      run(async (around) => (await import("../commands/verify.js")).verify(around, id, options)),
    );
}
