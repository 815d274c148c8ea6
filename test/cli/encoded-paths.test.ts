import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compiledTilth } from "../helpers/compiled.js";
import { Tilth } from "../helpers/tilth.js";

/** Runs a command line through a shell, because Node itself cannot pass such a name. */
function typed(tilth: Tilth, script: string): { code: number; stderr: string } {
  const main = `${process.execPath} ${compiledTilth()}`;
  const env = { ...tilth.env, ROOT: tilth.root };
  try {
    execFileSync("bash", ["-c", script.replaceAll("tilth ", `${main} `)], { env, encoding: "utf8", stdio: "pipe" });
    return { code: 0, stderr: "" };
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: string };
    return { code: status, stderr };
  }
}

test.each([
  ["a source", "tilth seed $ROOT/caf$'\\xe9' --from examples/todo-cli"],
  ["a source behind a link", "ln -s caf$'\\xe9' $ROOT/link; tilth seed $ROOT/link --from examples/todo-cli"],
  ["a home", "TILTH_HOME=$ROOT/caf$'\\xe9' tilth init"],
  ["a home that is not made yet", "TILTH_HOME=$ROOT/caf$'\\xe9'/new/home tilth init"],
  ["a home behind a link", "ln -s caf$'\\xe9' $ROOT/link; TILTH_HOME=$ROOT/link tilth init"],
])("%s whose name is not UTF-8 is refused in one sentence, and nothing is made beside it", (_, script) => {
  using tilth = new Tilth();
  execFileSync("bash", ["-c", "mkdir -p $ROOT/caf$'\\xe9'/.git/objects"], { env: { ...tilth.env, ROOT: tilth.root } });
  const { code, stderr } = typed(tilth, script);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^tilth: [^\n]*not UTF-8\n {2}→ [^\n]+\n$/);
  const names = readdirSync(tilth.root, { encoding: "buffer" }).map((name) => name.toString("latin1"));
  expect(names.filter((name) => name !== "link").sort()).toEqual(["caf\xe9", "user"]);
  expect(readdirSync(Buffer.from(join(tilth.root, "caf\xe9"), "latin1"))).toEqual([".git"]);
});
