import type { Clerk } from "../hands/clerk-port.js";
import type { TreeId } from "../support/ids.js";

/** The rules in force where a project has none of its own. */
export const pinnedRules: readonly string[] = ["--isolated", "--select", "E4,E7,E9,F"];

const ruffFile = /(^|\/)\.?ruff\.toml$/;
const pyproject = /(^|\/)pyproject\.toml$/;
const largestPyproject = 1024 * 1024;

/** The arguments of `ruff check` for a session: the base's own configuration where it has one, else the pinned rules. */
export async function ruffArgs(
  base: TreeId,
  clerk: Pick<Clerk, "list" | "blob">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const paths = (await clerk.list(base, signal)).map(({ path }) => path);
  if (paths.some((path) => ruffFile.test(path))) return [];
  for (const path of paths.filter((each) => pyproject.test(each))) {
    const content = await clerk.blob(base, path, largestPyproject, signal);
    if (content && hasRuffTable(Buffer.from(content).toString("utf8"))) return [];
  }
  return pinnedRules;
}

/** `[tool.ruff]`, `[tool.ruff.lint]`, `[ tool . "ruff" ]`, or a dotted key of either. */
function hasRuffTable(text: string): boolean {
  const ruff = /^(tool\s*\.\s*)?ruff(\s*[.=]|$)/;
  let inTool = false;
  for (const line of text.split("\n")) {
    const plain = line.replaceAll(/["']/g, "").trim();
    const header = /^\[{1,2}\s*([^\]]*?)\s*\]/.exec(plain)?.[1];
    if (header !== undefined) {
      inTool = header === "tool";
      if (header.startsWith("tool") && ruff.test(header)) return true;
    } else if (ruff.test(plain) && (inTool || plain.startsWith("tool"))) return true;
  }
  return false;
}
