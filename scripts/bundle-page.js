// The script and the style of the page that `tilth visualize` makes: one file each, which the page carries inside.
import { build } from "esbuild";

export async function bundlePage(folder) {
  const common = { bundle: true, minify: true, charset: "ascii", logLevel: "warning" };
  const browsers = ["chrome111", "firefox113", "safari16.4"];
  await build({
    ...common,
    entryPoints: ["cli/page/browser/main.ts"],
    outfile: `${folder}/chat.js`,
    format: "iife",
    target: ["es2022"],
    tsconfig: "cli/page/browser/tsconfig.json",
  });
  await build({
    ...common,
    entryPoints: ["cli/page/browser/chat.css"],
    outfile: `${folder}/chat.css`,
    target: browsers,
  });
}
