import type { Command } from "commander";
import { example, type Run } from "./describing.js";

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
    .action(() => run(async (around) => (await import("../commands/init.js")).init(around)));
  program
    .command("doctor")
    .description("check git, engine, image and endpoint; one remedy per problem")
    .option("--live", "ask each model for real, which spends tokens; see below")
    .option("--json", "the findings as JSON")
    .addHelpText("after", liveHelp)
    .addHelpText("after", example("tilth doctor", "tilth doctor --live"))
    .action((options) => run(async (around) => (await import("../commands/doctor.js")).doctor(around, options)));
  program
    .command("config")
    .description("show every setting, its value and where it came from")
    .option("--json", "as JSON")
    .addHelpText("after", example("tilth config", "TILTH_MAX_TOKENS=500000 tilth config --json"))
    .action((options) => run(async (around) => (await import("../commands/config.js")).config(around, options)));
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
    .action((options) => run(async (around) => (await import("../commands/image.js")).imageBuild(around, options)));
  image
    .command("ls")
    .description("list hands images, * is the one in use, and environments")
    .addHelpText("after", example("tilth image ls"))
    .action(() => run(async (around) => (await import("../commands/image.js")).imageList(around)));
  image
    .command("prune")
    .description("remove older hands images, and unused environments")
    .addHelpText("after", example("tilth image prune"))
    .action(() => run(async (around) => (await import("../commands/image.js")).imagePrune(around)));
  image
    .command("verify")
    .description("prove that the image matches its recipe")
    .addHelpText("after", example("tilth image verify"))
    .action(() => run(async (around) => (await import("../commands/image.js")).imageVerify(around)));
}
