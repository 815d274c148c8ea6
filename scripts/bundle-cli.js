// What a person starts, as a few files instead of the eight hundred modules it is made of: Node takes longer to find and
// read those than everything else takes until the first request. It works without, only slower.
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

/** In the place of what was compiled into `folder`. */
export async function bundleCli(folder) {
  rmSync(`${folder}/cli/bundle`, { recursive: true, force: true });
  await build({
    // what a person starts, and what a program imports: they share nearly everything
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
    // a bug is reported with its stack, and names that stand in the text cost less to start than such as are set again
    minifyIdentifiers: false,
    // for packages that are no modules of the new kind
    banner: { js: shims.trim() },
    plugins: [leftOut],
    logLevel: "warning",
  });
}
