import { Duplex, Readable } from "node:stream";
import type { ContainerCreateOptions } from "dockerode";
import { expect, test } from "vitest";
import type { Engine } from "../../../../runner/hands/docker/engine/engine.js";
import { readFacts } from "../../../../runner/hands/docker/image/image-facts.js";

const { signal } = new AbortController();
const facts = { tools: ["Python 3"], packages: {}, altered: [], files: {} };
/** the text that podman puts on the standard input of an attached program */
const attaching = '{"stream":true,"stdout":true,"stderr":true}';

/** An engine that sends its request to standard input, as podman does; a terminal echoes that. */
function podman(said: string): { readonly engine: Engine; readonly created: ContainerCreateOptions[] } {
  const created: ContainerCreateOptions[] = [];
  const docker = {
    createContainer: async (options: ContainerCreateOptions) => {
      created.push(options);
      const output = options.Tty ? Buffer.from(attaching + said) : frame(1, said);
      return {
        attach: async () => Duplex.from({ readable: Readable.from([output]), writable: new Duplex() }),
        start: async () => {},
        remove: async () => {},
      };
    },
  };
  const must = (_: string, __: AbortSignal, ask: (client: typeof docker) => Promise<unknown>) => ask(docker);
  return { engine: { facts: { dialect: "podman" }, docker, must } as unknown as Engine, created };
}

function frame(stream: number, text: string): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

test("an image's facts are read without what podman puts before them, under limits that podman may give", async () => {
  const { engine, created } = podman(JSON.stringify(facts));
  expect(await readFacts("sha256:0", { engine, signal })).toEqual(facts);
  expect(created[0]?.HostConfig?.Ulimits?.map(({ Name }) => Name)).toEqual(["nofile", "nproc"]);
  const onTerminal = await engine.docker.createContainer({ ...created[0], Tty: true });
  const naive = await onTerminal.attach({ stream: true });
  expect(() => JSON.parse(String(naive.read()))).toThrow();
});

test("an image that prints something else is named, with what it printed", async () => {
  const { engine } = podman("python3: not found");
  await expect(readFacts("sha256:0123456789abcdef", { engine, signal })).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("does not hold what hands need: python3: not found"),
  });
});
