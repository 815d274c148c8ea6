import { existsSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { TilthError } from "../runner/base/errors.js";
import { version } from "../runner/base/version.js";
import { type CommandLine, verbOf } from "./old-spelling.js";
import { exitOk } from "./output/exit-codes.js";
import type { Output } from "./output/output.js";
import type { Surroundings } from "./output/surroundings.js";
import { imageVerbs, settingVerbs } from "./verbs/machine.js";
import { prepVerb, seedVerbs } from "./verbs/seeding.js";
import { pageVerb, proofVerbs, resetVerb, sessionVerbs } from "./verbs/sessions.js";
import { workVerbs } from "./verbs/work.js";

/** Every verb, in the order of the help. */
const describedVerbs = [
  settingVerbs,
  imageVerbs,
  prepVerb,
  seedVerbs,
  workVerbs,
  sessionVerbs,
  pageVerb,
  resetVerb,
  proofVerbs,
];

export async function runCommandLine(argv: readonly string[], around: Surroundings): Promise<number> {
  let code = exitOk;
  const program = describe(around.output);
  for (const describeVerbs of describedVerbs)
    describeVerbs(program, async (work) => {
      code = await work(around);
    });
  const verbs = new Set(program.commands.map((command) => command.name()));
  const said = argv[0] === "help" ? helpAsked(argv, verbs) : verbOf(argv, verbs, existsSync);
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

/** Turns `help image build` into `image build --help`: commander's own help command looks no deeper than one verb. */
function helpAsked(argv: readonly string[], verbs: ReadonlySet<string>): CommandLine {
  const [, verb, ...deeper] = argv;
  if (verb === undefined) return { argv, pointer: null };
  return { argv: verbs.has(verb) ? [verb, ...deeper, "--help"] : [verb], pointer: null };
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
    .helpCommand("help [verb]", "show how to use a verb")
    .exitOverride()
    .configureHelp({ subcommandTerm: (verb) => verb.name() })
    .configureOutput({ writeOut: (text) => output.print(text.trimEnd()), writeErr: () => undefined })
    .addHelpText("after", exitCodes);
}

const exitCodes = `
Exit codes:
  0  done                          4    a cap was met
  1  failed, or differences found  5    engine, endpoint or branch
  2  usage, nothing was changed    70   a bug in tilth
  3  the session is busy           130  interrupted`;

/** Turns commander's message of several lines into one sentence and the help to look at. */
function notUnderstood(error: CommanderError, program: Command, argv: readonly string[]): TilthError {
  const verb = program.commands.find((command) => command.name() === argv[0]);
  const help = verb ? `tilth ${verb.name()} --help` : "tilth --help";
  if (error.code === "commander.help") {
    const choice = (verb ?? program).commands.map((command) => command.name()).join(", ");
    return new TilthError("usage", `${verb ? `tilth ${verb.name()}` : "tilth"} needs one of ${choice}`, help);
  }
  const sentence = error.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return new TilthError("usage", sentence, help);
}
