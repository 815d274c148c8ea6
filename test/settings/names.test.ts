import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../../runner/base/package-folder.js";
import { listed } from "../../runner/settings/setting.js";
import { settingsTable } from "../../runner/settings/table.js";

const all = listed(settingsTable);
const settings = new Set(all.flatMap(({ name, aliases }) => [name, ...aliases]));
/** The home, what docker-compose.yml takes besides settings, and what programs of tilth hand to each other. */
const others = /^TILTH_(HOME|REPO|UID|GID|CHECK_DISK|ZYGOTE_FD|BENCH_PEAK)$/;

const folders = ["cli", "runner", "prompts", "images", "scripts", "bench", "docs", "examples"];
const places = [
  "README.md",
  "AGENTS.md",
  "docker-compose.yml",
  ...folders.flatMap((folder) =>
    readdirSync(join(packageFolder, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ts|js|py|md|yml|json)$/.test(name))
      .map((name) => `${folder}/${name}`),
  ),
].filter((place) => place !== "runner/settings/table.ts" && !place.startsWith("docs/adr/"));

function strayNames(text: string): string[] {
  const names = text.match(/\bTILTH_[A-Z_]*[A-Z]\b/g) ?? [];
  return names.filter((name) => !settings.has(name) && !others.test(name));
}

const textOf = (place: string) => readFileSync(join(packageFolder, place), "utf8");

test("a name of ours in a message, a page or a program is that of a setting", () => {
  const found = places.flatMap((place) => strayNames(textOf(place)).map((name) => `${place}: ${name}`));
  expect(places.length).toBeGreaterThan(700);
  expect(found).toEqual([]);
  expect(strayNames("raise TILTH_MAX_TOKNES, TILTH_MAX_TOKENS or TILTH_EVALUATOR_…")).toEqual(["TILTH_MAX_TOKNES"]);
});

test("no two settings share a name", () => {
  expect(all.flatMap(({ name, aliases }) => [name, ...aliases])).toHaveLength(settings.size);
});

test("a default that is repeated outside is the setting's own", () => {
  const repeated = [...textOf("docker-compose.yml").matchAll(/\$\{(TILTH_\w+):-([^}]*)\}/g)];
  const fallbacks = new Map(all.flatMap(({ name, fallback }) => (fallback === null ? [] : [[name, fallback]])));
  const compared = repeated.filter(([, name = ""]) => fallbacks.has(name));
  expect(compared.map(([, name, text]) => [name, text])).toEqual(
    compared.map(([, name = ""]) => [name, fallbacks.get(name)]),
  );
  expect(compared.length).toBeGreaterThanOrEqual(3);
});
