import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { packageFolder } from "../../runner/base/package-folder.js";

/**
 * Compiles a program of the tests into one file that node runs as it is: starting with a loader costs several times as
 * much.
 */
export function compiledDriver(name: string): string {
  const outfile = join(packageFolder, ".cache", "drivers", `${basename(name, ".ts")}.js`);
  const entryPoints = [join(packageFolder, "test", "helpers", name)];
  buildSync({
    entryPoints,
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
  });
  return outfile;
}
