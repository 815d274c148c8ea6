import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { pack } from "tar-stream";
import { followStream } from "../../runner/hands/docker/image/image-engine.js";

/** Gives a name that no other run of the tests on this engine has. */
export function trialTag(name: string): string {
  return `tilth-trial:${name}-${randomUUID()}`;
}

/** Builds an image of a few lines, without network. The caller has to remove it. */
export async function buildTrial(
  docker: Docker,
  tag: string,
  files: Readonly<Record<string, string>>,
  labels: Record<string, string> = {},
): Promise<void> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.finalize();
  const options = { t: tag, labels, networkmode: "none", rm: true, forcerm: true, version: "1" } as const;
  await followStream(await docker.buildImage(Readable.from(archive), options), { onMessage: () => {} });
}

export async function removeTrial(docker: Docker, tag: string): Promise<void> {
  await docker
    .getImage(tag)
    .remove({ force: true })
    .catch(() => {});
}

/** Gives those of the marks that stand in any layer, or in the configuration, of a saved image. */
export async function marksInSaved(docker: Docker, image: string, marks: readonly string[]): Promise<string[]> {
  const longest = Math.max(...marks.map((mark) => Buffer.byteLength(mark)));
  const held = new Set<string>();
  let end = Buffer.alloc(0);
  for await (const chunk of await docker.getImage(image).get()) {
    const piece = Buffer.concat([end, Buffer.from(chunk)]);
    for (const mark of marks) if (piece.includes(mark)) held.add(mark);
    end = piece.subarray(Math.max(0, piece.length - longest + 1));
  }
  return marks.filter((mark) => held.has(mark));
}
