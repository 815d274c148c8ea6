import type { CommitId, TreeId } from "../../../base/ids.js";
import { OpenFolder, sayRefusal } from "../../../disk/read-regular.js";
import type { SessionFiles } from "../../../session/session-files.js";
import type { ObjectReader } from "../../../source/git/object-reader.js";
import { treeCaps } from "../../../source/git/tree-caps.js";
import { parseTree, type TreeItem } from "../../../source/git/tree-object.js";
import type { Source } from "../../../source/preflight/preflight.js";
import { absent, type Findings } from "../log/findings.js";
import type { Link } from "./branch-against-log.js";
import { type CommitObject, objectId, openReader } from "./commit-objects.js";

const mostBytes = 4 * 1024 * 1024;
const mostFiles = 10_000;

/** An acceptance test from the seed's commit. */
export interface CommittedTest {
  /** bare file name */
  readonly name: string;
  readonly oid: string;
  readonly content: Buffer;
  /** index of its commit among the links */
  readonly since: number;
}

export interface Chain {
  readonly source: Source;
  readonly base: CommitId;
  readonly links: readonly Link[];
  readonly commits: ReadonlyMap<string, CommitObject>;
}

/** Collects the tests that the seed's commits added. A change of anything else, or a missing test, is a difference. */
export async function committedTests(
  { source, base, links, commits }: Chain,
  findings: Findings,
  signal: AbortSignal,
): Promise<readonly CommittedTest[]> {
  await using reader = openReader(source, signal);
  const found: CommittedTest[] = [];
  for (const [since, { logged, sha, name }] of links.entries()) {
    if (logged.type !== "seed_committed" || !commits.has(sha)) continue;
    const before = links[since - 1]?.sha ?? base;
    const added = await addedTests(reader, { before, after: sha }, findings);
    const contents = await reader.contents(
      added.map(({ oid }) => oid),
      "blob",
      mostBytes,
    );
    for (const [index, { name: file, oid }] of added.entries()) {
      const content = contents[index];
      if (content && objectId("blob", content) === oid)
        found.push({ name: file.toString("utf8"), oid, content, since });
      else findings.differ({ what: name, where: `tests/${file} in ${sha}`, expected: `blob ${oid}`, seen: absent });
    }
  }
  return found;
}

async function addedTests(
  reader: ObjectReader,
  { before, after }: { readonly before: CommitId; readonly after: CommitId },
  findings: Findings,
): Promise<readonly TreeItem[]> {
  const changed = async (folder: string) => {
    const [old, now] = [await itemsOf(reader, `${before}:${folder}`), await itemsOf(reader, `${after}:${folder}`)];
    return {
      added: [...now.values()].filter((item) => !old.has(nameOf(item))),
      other: [...new Set([...old.keys(), ...now.keys()])].filter(
        (name) => old.has(name) && describe(old.get(name)) !== describe(now.get(name)),
      ),
    };
  };
  const [root, tests] = [await changed(""), await changed("tests/")];
  const strange = [...root.added.map(nameOf), ...root.other].filter((name) => name !== "tests");
  for (const path of [...strange, ...tests.other.map((name) => `tests/${name}`)])
    findings.differ({
      what: "the seed",
      where: `${path} in ${after}`,
      expected: "as in the commit before",
      seen: "changed",
    });
  return tests.added;
}

async function itemsOf(reader: ObjectReader, tree: string): Promise<ReadonlyMap<string, TreeItem>> {
  const [content] = await reader.contents([tree.replace(/:$/, "^{tree}")], "tree", treeCaps.treeBytes);
  const items = content ? (parseTree(content) ?? []) : [];
  return new Map(items.map((item) => [nameOf(item), item]));
}

function nameOf({ name }: TreeItem): string {
  return name.toString("utf8");
}

function describe(item: TreeItem | undefined): string {
  return item === undefined ? absent : `${item.mode} ${item.oid}`;
}

/** Checks that the session's own copies have the committed bytes. */
export function compareSeedFolder(files: SessionFiles, tests: readonly CommittedTest[], findings: Findings): void {
  using folder = OpenFolder.open(files.paths.seed, false);
  const names = (folder?.names(mostFiles) ?? []).filter((name) => !name.endsWith(".tmp"));
  const committed = new Map(tests.map((test) => [test.name, test]));
  for (const { name, oid, content } of tests) {
    const file = folder?.read(name, mostBytes) ?? ({ ok: false, why: "missing" } as const);
    const where = `seed/${name}`;
    if (!file.ok) findings.differ({ what: "staged test", where, expected: `blob ${oid}`, seen: sayRefusal(file) });
    else if (objectId("blob", file.content) !== oid)
      findings.differ({ what: "staged test", ...apart(where, content, file.content) });
  }
  for (const name of names)
    if (!committed.has(name))
      findings.differ({
        what: "staged test",
        where: `seed/${name}`,
        expected: absent,
        seen: "a file no seed commit has",
      });
  findings.compared.push(`the ${tests.length} staged tests in seed/, with the seed's commit`);
}

/** Finds the first line where two texts differ. */
function apart(where: string, expected: Buffer, seen: Buffer) {
  let at = 0;
  while (at < expected.length && expected[at] === seen[at]) at += 1;
  const start = expected.subarray(0, at).lastIndexOf(10) + 1;
  const line = (content: Buffer) => JSON.stringify(content.subarray(start).toString("utf8").split("\n", 1)[0] ?? "");
  const number = expected.subarray(0, at).filter((byte) => byte === 10).length + 1;
  return {
    where: `${where} line ${number}, byte ${at + 1}`,
    expected: `${line(expected)} (blob ${objectId("blob", expected)})`,
    seen: `${line(seen)} (blob ${objectId("blob", seen)})`,
  };
}

/** Checks that every tree from the seed's on has the tests unchanged. */
export async function compareTestsInTrees(
  { source, links, commits }: Chain,
  tests: readonly CommittedTest[],
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  await using reader = openReader(source, signal);
  for (const [place, { sha, name }] of links.entries()) {
    const tree: TreeId | undefined = commits.get(sha)?.tree;
    if (tree === undefined) continue;
    const items = await itemsOf(reader, `${tree}:tests/`);
    for (const test of tests) {
      const found = items.get(test.name);
      if (test.since > place || (found?.oid === test.oid && found.mode.startsWith("100"))) continue;
      const where = `tests/${test.name} in ${sha} (${name})`;
      findings.differ({ what: "staged test", where, expected: `blob ${test.oid}`, seen: describe(found) });
    }
  }
  findings.compared.push("the staged tests in the tree of every commit of the session");
}
