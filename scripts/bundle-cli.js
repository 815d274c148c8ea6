// Bundles the command line into a few files instead of the eight hundred modules it is made of: Node takes longer to
// find and read those than everything else takes until the first request. Everything works without this, only slower.
import { rmSync } from "node:fs";
import { build } from "esbuild";

const shims = `
import { createRequire as __createRequire } from "node:module";
import { dirname as __dirnameOf } from "node:path";
import { fileURLToPath as __pathOf } from "node:url";
const require = __createRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __dirnameOf(__filename);`;

/**
 * Packages load these at once: dockerode for engines over ssh and for BuildKit sessions, zod for messages in other languages;
 * tilth has none of them.
 */
const unused = /^(ssh2|protobufjs|@grpc\/(grpc-js|proto-loader)|\.\.\/locales\/index\.js)$/;
const isOfAnother = (path, importer) => path.startsWith(".") && !/\/node_modules\/zod\//.test(importer);
const leftOut = {
  name: "left-out",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: unused }, ({ path, importer }) =>
      isOfAnother(path, importer) ? undefined : { path, namespace: "left-out" },
    );
    onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "module.exports = {};" }));
  },
};

/** Replaces the modules that were compiled into `folder`. */
export async function bundleCli(folder) {
  rmSync(`${folder}/cli/bundle`, { recursive: true, force: true });
  await build({
    // the command line, and the library for programs: they share nearly everything
    entryPoints: [`${folder}/cli/main.js`, `${folder}/runner/index.js`],
    outbase: folder,
    outdir: folder,
    chunkNames: "cli/bundle/[name]-[hash]",
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minifyWhitespace: true,
    minifySyntax: true,
    // a bug is reported with its stack, and names left as they are cost less at start than names that are set again
    minifyIdentifiers: false,
    // for packages that are CommonJS
    banner: { js: shims.trim() },
    plugins: [leftOut],
    logLevel: "warning",
  });
}
