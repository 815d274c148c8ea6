import { TilthError } from "../../runner/base/errors.js";
import { given } from "./given.js";

interface GivenIndex {
  readonly url: string;
  /** the variable it was given in */
  readonly name: string;
}

const publicIndex = "https://pypi.org/simple/";
/** uv's own variables come first, because uv resolves the packages. */
const main = ["UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"];
const more = ["UV_INDEX", "UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL"];
/** variables in which uv accepts a name, as in `internal=https://…` */
const named = ["UV_DEFAULT_INDEX", "UV_INDEX"];
const itsName = /^[\w.-]+=(?=.)/;

/** The indexes as given, the main one first. */
export function givenIndexes(env: NodeJS.ProcessEnv): readonly GivenIndex[] {
  const chosen = main.find((name) => given(env[name]) !== null);
  const mains = chosen === undefined ? [{ url: publicIndex, name: "" }] : listed(chosen, env).slice(0, 1);
  const all = [...mains, ...more.flatMap((name) => listed(name, env))];
  return all.filter(({ url }, at) => all.findIndex((other) => other.url === url) === at);
}

/** Checks the indexes; TilthError `usage` for an address that cannot be one. */
export function packageIndexes(env: NodeJS.ProcessEnv): readonly string[] {
  return givenIndexes(env).map(({ url, name }) => {
    const problem = problemOf(url);
    // the address is not repeated: it may hold a password
    if (problem !== null) throw new TilthError("usage", `${name} ${problem}`, `correct ${name} in the environment`);
    return url;
  });
}

function problemOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return "must be the http or https address of a package index";
  return url.search || url.hash ? "must be the address of a package index without a query or a fragment" : null;
}

function listed(name: string, env: NodeJS.ProcessEnv): GivenIndex[] {
  const urls = (given(env[name]) ?? "").split(/\s+/).filter((url) => url !== "");
  return urls.map((url) => ({ url: named.includes(name) ? url.replace(itsName, "") : url, name }));
}
