import { expect, test } from "vitest";
import { verbOf } from "../../cli/old-spelling.js";
import { runCommandLine } from "../../cli/program.js";
import { TilthError } from "../../runner/base/errors.js";
import { HeardOutput } from "./heard-output.js";

const { signal } = new AbortController();
const verbs = [
  "init",
  "doctor",
  "config",
  "image",
  "prep-feature",
  "seed",
  "run",
  "demo",
  "sessions",
  "visualize",
  "reset",
  "verify",
  "export",
];
const deeper = ["image build", "image ls", "image verify", "sessions show"];

async function typed(...argv: string[]): Promise<{ code: number; lines: string[] }> {
  const heard = new HeardOutput();
  const code = await runCommandLine(argv, { output: heard.output, signal });
  return { code, lines: await heard.lines("results") };
}

async function refused(...argv: string[]): Promise<TilthError> {
  const heard = new HeardOutput();
  const error: unknown = await runCommandLine(argv, { output: heard.output, signal }).catch(
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TilthError)) throw error;
  expect(error.code).toBe("usage");
  expect(error.message).not.toMatch(/\n|^error/);
  expect(await heard.lines("results")).toEqual([]);
  return error;
}

test.each([[], ["--help"], ["-h"], ["help"]])(
  "typed as %j, the help names every verb and exit code",
  async (...argv) => {
    const { code, lines } = await typed(...argv.flat());
    expect(code).toBe(0);
    for (const verb of verbs) expect(lines.some((line) => line.startsWith(`  ${verb} `))).toBe(true);
    for (const exit of ["0", "1", "2", "3", "4", "5", "70", "130"])
      expect(lines.join("\n")).toMatch(new RegExp(`^ {2}.*\\b${exit} {2}`, "m"));
  },
);

test.each([...verbs, ...deeper])(
  "the help of %s has a description and an example, in lines of 80 columns",
  async (verb) => {
    const { code, lines } = await typed(...verb.split(" "), "--help");
    expect(code).toBe(0);
    expect(lines[0]).toContain(`Usage: tilth ${verb}`);
    expect(lines[2]).toMatch(/^\w.{15}/);
    expect(lines.some((line) => line.startsWith(`  $ `) && line.includes(`tilth ${verb}`))).toBe(true);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  },
);

test.each([...verbs, ...deeper])("help %s prints the help of that command", async (verb) => {
  expect(await typed("help", ...verb.split(" "))).toEqual(await typed(...verb.split(" "), "--help"));
});

test("no line of the help is wrapped", async () => {
  const { lines } = await typed("--help");
  const listed = lines.slice(lines.indexOf("Commands:") + 1, lines.indexOf("Exit codes:") - 1);
  for (const line of listed) expect(line).toMatch(/^ {2}[a-z]/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test("the version is the package's", async () => {
  expect((await typed("--version")).lines).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)]);
});

const mistakes: readonly (readonly [argv: string, says: string, help: string])[] = [
  ["bogus", "unknown command 'bogus'", "tilth --help"],
  ["dmeo", "(Did you mean demo?)", "tilth --help"],
  ["--bogus", "unknown option '--bogus'", "tilth --help"],
  ["--", "tilth needs one of init, doctor, config", "tilth --help"],
  ["help bogus", "unknown command 'bogus'", "tilth --help"],
  ["help dmeo", "(Did you mean demo?)", "tilth --help"],
  ["help .", "unknown command '.'", "tilth --help"],
  ["help --resume", "unknown option '--resume'", "tilth --help"],
  ["help --reset x", "unknown option '--reset'", "tilth --help"],
  ["run --sessio x", "(Did you mean --session?)", "tilth run --help"],
  ["run --session", "argument missing", "tilth run --help"],
  ["run a b", "too many arguments", "tilth run --help"],
  ["prep-feature", "missing required argument 'source'", "tilth prep-feature --help"],
  ["prep-feature a b", "too many arguments", "tilth prep-feature --help"],
  ["prep-feature a --brief", "argument missing", "tilth prep-feature --help"],
  ["seed", "'--from <dir>' not specified", "tilth seed --help"],
  ["seed --from x", "missing required argument 'source'", "tilth seed --help"],
  ["seed a b --from x", "too many arguments", "tilth seed --help"],
  ["sessions a", "too many arguments", "tilth sessions --help"],
  ["sessions show", "missing required argument 'id'", "tilth sessions --help"],
  ["image", "needs one of build, ls, prune, verify", "tilth image --help"],
  ["image bogus", "unknown command 'bogus'", "tilth image --help"],
  ["reset a b", "too many arguments", "tilth reset --help"],
  ["visualize a b", "too many arguments", "tilth visualize --help"],
  ["reset --force", "unknown option '--force'", "tilth reset --help"],
  ["init now", "too many arguments", "tilth init --help"],
];

test.each(mistakes)("tilth %s is refused in one sentence that points to its help", async (argv, says, help) => {
  const { message, hint } = await refused(...argv.split(" "));
  expect(message).toContain(says);
  expect(hint).toBe(help);
});

test("an option that the verb does not know is refused, and nothing runs", async () => {
  expect((await refused("run", "--unsandboxed")).message).toContain("unknown option '--unsandboxed'");
});

test("--force together with --keep-existing is refused before anything is looked at", async () => {
  const error = await refused("seed", "/nowhere", "--from", "/nowhere", "--force", "--keep-existing");
  expect(error.message).toContain("contradict");
});

const known = new Set(verbs);
const there = (path: string) => path === "todo" || path === "run";

test.each([
  [["."], "tilth run ."],
  [["./todo", "--quiet"], "tilth run ./todo --quiet"],
  [["todo"], "tilth run todo"],
  [["--session", "20260102-101112-a1b2c3"], "tilth run --session 20260102-101112-a1b2c3"],
  [["--session=x"], "tilth run --session=x"],
  [["--sandbox", "/a b'c"], "tilth run --sandbox '/a b'\\''c'"],
])("%j still means a run, with one line that says how it is spelled now", (argv, now) => {
  const said = verbOf(argv, known, there);
  expect(said.argv).toEqual(["run", ...argv]);
  expect(said.pointer).toBe(`(this is now spelled: ${now})`);
});

test.each([
  [["--prep-feature", "."], ["."], "tilth prep-feature ."],
  [["./to do", "--prep-feature", "--force"], ["./to do", "--force"], "tilth prep-feature './to do' --force"],
])("%j still means an interview", (argv, rest, now) => {
  expect(verbOf(argv, known, there)).toEqual({
    argv: ["prep-feature", ...rest],
    pointer: `(this is now spelled: ${now})`,
  });
});

test.each([
  [["--reset", "20260102-101112-a1b2c3"], ["20260102-101112-a1b2c3"], "tilth reset 20260102-101112-a1b2c3"],
  [["--reset"], [], "tilth reset"],
  [["--reset="], [""], "tilth reset ''"],
  [["-y", "--reset=x"], ["-y", "x"], "tilth reset -y x"],
])("%j still means a reset of only what was named", (argv, rest, now) => {
  expect(verbOf(argv, known, there)).toEqual({ argv: ["reset", ...rest], pointer: `(this is now spelled: ${now})` });
});

test.each([
  [["--visualize"], [], "tilth visualize"],
  [["--visualize=x", "--serve"], ["x", "--serve"], "tilth visualize x --serve"],
])("%j still means a page", (argv, rest, now) => {
  expect(verbOf(argv, known, there)).toEqual({
    argv: ["visualize", ...rest],
    pointer: `(this is now spelled: ${now})`,
  });
});

test.each([
  [["--resume"], [], "tilth resume"],
  [["--resume=x"], ["x"], "tilth resume x"],
  [["--quiet", "--resume", "x"], ["--quiet", "x"], "tilth resume --quiet x"],
])("%j still means a resume", (argv, rest, now) => {
  expect(verbOf(argv, known, there)).toEqual({ argv: ["resume", ...rest], pointer: `(this is now spelled: ${now})` });
});

test.each([[["run", "."]], [["bogus"]], [["--help"]], [["./todo", "--help"]], [["--bogus"]], [[]], [["help", "run"]]])(
  "%j is left as it is",
  (argv) => {
    expect(verbOf(argv, known, there)).toEqual({ argv, pointer: null });
  },
);
