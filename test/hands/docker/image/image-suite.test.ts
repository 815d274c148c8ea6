import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { TilthError } from "../../../../runner/base/errors.js";
import type { BuildContext } from "../../../../runner/hands/docker/image/image-engine.js";
import { importSuite, type Suite } from "../../../../runner/hands/docker/image/image-suite.js";

const id = "2a855505774d795227b26aef5962ba01c57ff7467cef57d3ee265fa61ec2d08d";
const suite: Suite = {
  distribution: "debian",
  codename: "bookworm",
  base: { identity: "packages", shown: "packages of debian bookworm" },
  tag: "tilth-base:bookworm",
};

/** An engine that keeps the name that an import asks for, or gives another one, as podman 4 does. */
function engineThat(keepsNames: boolean, folder: string) {
  const named = new Map<string, string>();
  const docker = {
    importImage: async (archive: Readable, { repo, tag }: { repo: string; tag: string }) => {
      await archive.toArray();
      named.set(keepsNames ? `${repo}:${tag}` : `${repo}:latest`, id);
      return Readable.from([`{"status":"sha256:${id}"}\n`]);
    },
    getImage: (reference: string) => ({
      inspect: async () => {
        if (!named.has(reference)) throw Object.assign(new Error("no such image"), { statusCode: 404 });
        return { Id: `sha256:${named.get(reference)}` };
      },
      tag: async ({ repo, tag }: { repo: string; tag: string }) => void named.set(`${repo}:${tag}`, reference),
    }),
  };
  const must = (what: string, _: AbortSignal, ask: (client: typeof docker) => Promise<unknown>) =>
    ask(docker).catch((error: unknown) => {
      throw new TilthError("infra", what, "", error);
    });
  const settings = { host: { cacheDir: folder } };
  const context = { engine: { docker, must }, settings, say: () => {}, signal: new AbortController().signal };
  return { named, context: context as unknown as BuildContext };
}

test.each([true, false])("an imported base gets its tag, whether or not the engine keeps it (%s)", async (keeps) => {
  const folder = mkdtempSync(join(tmpdir(), "tilth-suite-"));
  try {
    writeFileSync(join(folder, "tilth-base-bookworm.tar"), "");
    const { named, context } = engineThat(keeps, folder);
    expect(await importSuite(suite, context)).toBe(`sha256:${id}`);
    expect(named.get(suite.tag)).toBe(id);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
