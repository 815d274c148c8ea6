import { z } from "zod";
import type { StagedFacts } from "../../runner/hands/checks-port.js";
import { type CheckWorld, never } from "./check-world.js";

const program = `
import json, sys
sys.path.insert(0, "/opt/tilth")
import check_sites
print(json.dumps([site for path, source in json.loads(sys.argv[1]) for site in check_sites.sites_of(path, source)]))
`;
const sitesSchema = z.array(
  z.strictObject({ id: z.string(), test: z.string().nullable(), unfair: z.string().nullable() }),
);

/** The facts of one staged file, with the assertions of all of `files`. */
export async function factsOf(
  world: CheckWorld,
  path: string,
  files: Readonly<Record<string, unknown>>,
): Promise<StagedFacts[]> {
  const chunks: Uint8Array[] = [];
  const argv = ["/opt/tilth/python", "-I", "-c", program, JSON.stringify(Object.entries(files))];
  const args = { argv, cwd: "/", env: {}, timeout_ms: 20_000, output: "merged", head: 8192, tail: 8192 };
  const options = { signal: never, timeoutMs: 30_000, onData: (chunk: Uint8Array) => void chunks.push(chunk) };
  await (await world.share()).call("exec", args, options);
  const assertions = sitesSchema.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  const ids = [...new Set(assertions.flatMap(({ test }) => test ?? []))];
  const tests = ids.map((id) => ({ id, keepGreen: null, alwaysLeftOut: false, asserts: true, criteria: [] }));
  return [{ path, problem: "", tests, assertions }];
}
