import { existsSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { TilthError } from "../runner/errors.js";
import { version } from "../runner/support/version.js";
import { exitOk } from "./exit-codes.js";
import { verbOf } from "./old-spelling.js";
import type { Output } from "./output.js";
import type { Surroundings } from "./surroundings.js";
import { imageVerbs, sessionVerbs, settingVerbs, workVerbs } from "./verbs.js";

export async function runCommandLine(argv: readonly string[], around: Surroundings): Promise<number> {
  let code = exitOk;
  const program = describe(around.output);
  for (const verbs of [settingVerbs, imageVerbs, workVerbs, sessionVerbs])
    verbs(program, async (work) => {
      code = await work(around);
    });
  const said = verbOf(argv, new Set(program.commands.map((command) => command.name())), existsSync);
  if (said.pointer) around.output.say(said.pointer);
  try {
    if (said.argv.length === 0) program.outputHelp();
    else await program.parseAsync([...said.argv], { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitOk;
    throw notUnderstood(error, program, said.argv);
  }
}

function describe(output: Output): Command {
  return new Command("tilth")
    .description(
      "Works a git repository through a seed of tasks, unattended. The model decides\n" +
        "on your machine; everything that touches your code runs in hardened containers.\n" +
        "You review and merge.",
    )
    .usage("<verb> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [verb]", "how a verb is used")
    .exitOverride()
    .configureHelp({ subcommandTerm: (verb) => verb.name() })
    .configureOutput({ writeOut: (text) => output.print(text.trimEnd()), writeErr: () => undefined })
    .addHelpText("after", exitCodes);
}

const exitCodes = `
Exit codes:
  0  done                          4    a cap was met
  1  a task failed                 5    engine, endpoint or branch
  2  usage, nothing was changed    70   a bug in tilth
  3  the session is busy           130  interrupted`;

/** What commander says over several lines, as one sentence and the help to look at. */
function notUnderstood(error: CommanderError, program: Command, argv: readonly string[]): TilthError {
  const verb = program.commands.find((command) => command.name() === argv[0]);
  const help = verb ? `tilth ${verb.name()} --help` : "tilth --help";
  if (error.code === "commander.help") {
    const choice = verb?.commands.map((command) => command.name()).join(", ");
    return new TilthError("usage", `tilth ${verb?.name()} needs one of ${choice}`, help);
  }
  const sentence = error.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return new TilthError("usage", sentence, help);
}
