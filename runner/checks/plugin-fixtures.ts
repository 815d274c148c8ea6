/** Fixtures with well-known names that come from plugins: a test that lacks the fixture lacks the plugin. */
const plugins: ReadonlyMap<string, string> = new Map([
  ["mocker", "pytest-mock"],
  ["class_mocker", "pytest-mock"],
  ["module_mocker", "pytest-mock"],
  ["session_mocker", "pytest-mock"],
  ["benchmark", "pytest-benchmark"],
  ["requests_mock", "requests-mock"],
  ["httpx_mock", "pytest-httpx"],
  ["respx_mock", "respx"],
  ["aiohttp_client", "pytest-aiohttp"],
  ["freezer", "pytest-freezer"],
  ["httpserver", "pytest-httpserver"],
  ["datadir", "pytest-datadir"],
]);

/** Modules of plugins: no task makes a module of such a name. */
const modules: ReadonlySet<string> = new Set([
  "hypothesis",
  "pytest_aiohttp",
  "pytest_asyncio",
  "pytest_bdd",
  "pytest_benchmark",
  "pytest_cases",
  "pytest_cov",
  "pytest_datadir",
  "pytest_django",
  "pytest_flask",
  "pytest_freezer",
  "pytest_httpserver",
  "pytest_httpx",
  "pytest_lazyfixture",
  "pytest_mock",
  "pytest_postgresql",
  "pytest_regressions",
  "pytest_subtests",
  "pytest_timeout",
  "pytest_trio",
  "requests_mock",
  "respx",
  "syrupy",
  "xdist",
]);

export function isOfPlugin(module: string): boolean {
  return modules.has(module);
}

/** Finds the plugin of a fixture that a test's text reports as missing; null when it is no plugin's. */
export function missingPlugin(text: string): { readonly fixture: string; readonly plugin: string } | null {
  const fixture = /fixture '(\w+)' not found/.exec(text)?.[1] ?? "";
  const plugin = plugins.get(fixture);
  return plugin === undefined ? null : { fixture, plugin };
}
