import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TilthError } from "../../runner/base/errors.js";

/** The page's own script and style, the same in every page. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** Loads script and style from `page/` beside the compiled command line, bundled or not. */
export function loadAssets(folder: string = folderAround(dirname(fileURLToPath(import.meta.url)))): PageAssets {
  const [script, style] = ["chat.js", "chat.css"].map((name) => readFileSync(join(folder, name), "utf8"));
  if (script === undefined || style === undefined || /<\/(script|style)|<!--/i.test(script + style))
    throw new Error("the page's script or style would end its own element");
  return { script, style };
}

/** Returns the hash in the form that a content security policy uses. */
export function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function folderAround(folder: string): string {
  if (existsSync(join(folder, "page", "chat.js"))) return join(folder, "page");
  const parent = dirname(folder);
  if (parent === folder) throw new TilthError("usage", "the page's script has not been built", "npm run build");
  return folderAround(parent);
}
