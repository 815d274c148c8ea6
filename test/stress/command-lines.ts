import type { ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";

/** Runs sessions of one source as people do: the command line, a process for each verb, and containers. */
export class CommandLines implements AsyncDisposable {
  private constructor(
    private readonly stage: CliStage,
    private readonly model: Awaited<ReturnType<typeof startModel>>,
  ) {}

  static async open(): Promise<CommandLines> {
    const model = await startModel({ worker: answered });
    return new CommandLines(await CliStage.open(Tilth.endpoint(model)), model);
  }

  get source(): string {
    return this.stage.source;
  }

  /** Runs one session from its seed to its removal, and gives the number of its commits. */
  async session(): Promise<number> {
    const id = await this.stage.prepared("--keep-existing");
    await this.ends(["run", this.source, "--session", id]);
    await this.ends(["reset", id, "-y"]);
    return 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
  }

  private async ends(args: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await this.stage.tilth.run(args);
    if (code !== 0) throw new Error(`tilth ${args[0]} ended with ${code}: ${stdout}\n${stderr}`);
  }
}

function answered({ messages }: ScriptedRequest): Turn {
  const replies = messages.filter(({ role }) => role === "assistant").length;
  return doing(1)[replies] ?? { quiet: "Done." };
}
