import { z } from "zod";
import type { RealProject } from "./projects.js";

/** The outcomes by the test's name, because two tests of a parametrised suite can have one name. */
export type Outcomes = ReadonlyMap<string, string>;

export const report = "/tmp/real-project.json";
const junit = "/tmp/real-project.xml";

const program = `
import collections, json, os, xml.etree.ElementTree as tree
def outcome(case):
    kinds = {one.tag: one.get("type") or "" for one in case}
    if "error" in kinds: return "error"
    if "failure" in kinds: return "failed"
    if "skipped" in kinds: return "xfailed" if kinds["skipped"] == "pytest.xfail" else "skipped"
    return "passed"
found = collections.defaultdict(list)
if os.path.exists("${junit}"):
    for case in tree.parse("${junit}").iter("testcase"):
        found[f"{case.get('classname')}::{case.get('name')}"].append(outcome(case))
json.dump({name: " ".join(sorted(all)) for name, all in found.items()}, open("${report}", "w"), sort_keys=True)
`;

/** Runs a project's own tests and leaves the outcome of each in `report`, even if some fail. */
export function suiteCommand({ suite, without }: RealProject): string {
  const left = without === undefined ? "" : `--deselect=${without.tests} --ignore=${without.tests}`;
  const words = `${suite} ${left} --ignore-glob='*/test_t001_*' -q -p no:cacheprovider --junitxml=${junit}`;
  return [`rm -f ${junit}; python -m pytest ${words} | tail -n 25`, `python - <<'END'\n${program}\nEND`].join("\n");
}

const reported = z.record(z.string(), z.string());

export function outcomesIn(text: string): Outcomes {
  return new Map(Object.entries(reported.parse(JSON.parse(text))).sort());
}

/** A summary such as "12 passed, 1 skipped". */
export function inShort(outcomes: Outcomes): string {
  const all = [...outcomes.values()].flatMap((text) => text.split(" "));
  const kinds = ["passed", "failed", "error", "skipped", "xfailed"];
  const counted = kinds.map((kind) => ({ kind, count: all.filter((one) => one === kind).length }));
  return counted.flatMap(({ kind, count }) => (count > 0 ? [`${count} ${kind}`] : [])).join(", ") || "no tests";
}

/** A line for each test with different outcomes in the two. */
export function differing(tilth: Outcomes, plain: Outcomes): string[] {
  const names = [...new Set([...tilth.keys(), ...plain.keys()])].sort();
  const lines = names.map((name) => ({
    name,
    here: tilth.get(name) ?? "not run",
    there: plain.get(name) ?? "not run",
  }));
  return lines
    .filter(({ here, there }) => here !== there)
    .map(({ name, here, there }) => `${name}: ${here} in tilth, ${there} in a virtual environment`);
}
