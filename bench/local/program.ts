import { spawn } from "node:child_process";
import { once } from "node:events";

export interface ProgramEnd {
  readonly exit: number | null;
  readonly output: string;
}

/** Gives both outputs of a program on the host, in the order in which they came. */
export async function outputOf(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<ProgramEnd> {
  const [program = "", ...args] = argv;
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [exit] = (await once(child, "close")) as [number | null];
  return { exit, output: Buffer.concat(chunks).toString("utf8") };
}
