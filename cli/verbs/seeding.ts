import type { Command } from "commander";
import { example, type Run, trust, waitForLimit } from "./describing.js";

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
      run(async (around) => (await import("../commands/prep-feature.js")).prepFeature(around, source, options)),
    );
}

export function seedVerbs(program: Command, run: Run): void {
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
      run(async (around) => (await import("../commands/seed.js")).seed(around, source, options)),
    );
}
