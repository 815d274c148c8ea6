import { Output } from "../../cli/output/output.js";

/** An output that keeps everything it is given to say. */
export class HeardOutput {
  results = "";
  progress = "";
  readonly output: Output;

  constructor() {
    const target = (take: (text: string) => void) => ({
      sink: async (bytes: Buffer) => take(bytes.toString()),
      terminal: false,
      coloured: false,
      columns: () => Number.POSITIVE_INFINITY,
      rows: () => 24,
    });
    this.output = new Output(
      target((text) => {
        this.results += text;
      }),
      target((text) => {
        this.progress += text;
      }),
    );
  }

  async lines(of: "results" | "progress"): Promise<string[]> {
    await this.output.drain(AbortSignal.abort());
    return this[of].split("\n").slice(0, -1);
  }
}
