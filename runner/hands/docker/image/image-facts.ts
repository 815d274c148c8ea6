import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { awakeSignal } from "../../../base/awake.js";
import { TilthError } from "../../../base/errors.js";
import { GrowingBytes } from "../../../base/growing-bytes.js";
import { packageFolder } from "../../../base/package-folder.js";
import { imageUlimits } from "../container/container-spec.js";
import { EngineDemux } from "../engine/engine-demux.js";
import type { BuildContext } from "./image-engine.js";

const factsSchema = z.object({
  /** one line each: Python and the tools, with their versions */
  tools: z.array(z.string()),
  packages: z.record(z.string(), z.string()),
  /** installed files that differ from their wheel, and compiled programs that differ from their source */
  altered: z.array(z.string()),
  /** sha256 of the programs in /opt/tilth */
  files: z.record(z.string(), z.string()),
});
export type ImageFacts = z.infer<typeof factsSchema>;

const factsTimeoutMs = 60_000;
const mostBytes = 16 * 1024 * 1024;

/** Asks the image itself, with this package's own program, in a container without any access. */
export async function readFacts(
  imageId: string,
  { engine, signal }: Pick<BuildContext, "engine" | "signal">,
): Promise<ImageFacts> {
  const program = readFileSync(join(packageFolder, "images", "hands", "facts.py"), "utf8");
  const create = {
    Image: imageId,
    Entrypoint: ["/opt/tilth/python", "-I", "-S", "-c", program],
    Cmd: [],
    User: "10001:10001",
    // a terminal would send back what podman puts on standard input
    Tty: false,
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      PidsLimit: 64,
      LogConfig: { Type: "none", Config: {} },
      Ulimits: [...imageUlimits(engine.facts.dialect)],
    },
  };
  const container = await engine.must("create a container of the image", signal, (docker) =>
    docker.createContainer(create),
  );
  try {
    const stream = await container.attach({ stream: true, stdout: true, stderr: true });
    await engine.must("start a container of the image", signal, () => container.start());
    const deadline = AbortSignal.any([signal, awakeSignal(factsTimeoutMs)]);
    return parse(await textOf(stream, deadline), imageId);
  } finally {
    await container.remove({ force: true });
  }
}

/** Returns the program's output, or its complaint when there is none. */
async function textOf(stream: NodeJS.ReadWriteStream, signal: AbortSignal): Promise<string> {
  const stop = (): void => {
    stream.end();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const said = new GrowingBytes();
    const demux = new EngineDemux();
    for await (const chunk of stream) {
      for (const part of demux.read(Buffer.from(chunk))) said.add(part);
      if (said.length > mostBytes) break;
    }
    return said.take().toString("utf8") || demux.stderr;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function parse(text: string, imageId: string): ImageFacts {
  try {
    return factsSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new TilthError(
      "usage",
      `the image ${imageId.slice(0, 19)} does not hold what hands need: ${(text.trim().split("\n").at(-1) ?? "").slice(-300)}`,
      "build it anew: tilth image build",
      error,
    );
  }
}
