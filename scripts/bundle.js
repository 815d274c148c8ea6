// Bundles what was compiled: node scripts/bundle.js [folder]
import { bundleCli } from "./bundle-cli.js";
import { bundlePage } from "./bundle-page.js";

const folder = process.argv[2] ?? "dist";
await bundleCli(folder);
await bundlePage(`${folder}/cli/page`);
