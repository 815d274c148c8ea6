import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { SetUpStopped, say } from "./say.js";

const oldest = [20, 19];

/** Makes sure that Node is new enough and that node_modules holds what package-lock.json asks for. */
export function ensureDependencies() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    throw new SetUpStopped(
      `Node ${process.versions.node} is too old: ${oldest.join(".")} is needed`,
      "install Node 20.19 or newer",
    );
  if (isInstalled()) return;
  say("installing the npm packages of package-lock.json into node_modules (npm ci)");
  const npm = process.env.npm_execpath;
  // install scripts of optional parts want compilers, and headers from a host that is not a package registry
  const ci = ["ci", "--ignore-scripts"];
  const [program, args] = npm ? [process.execPath, [npm, ...ci]] : ["npm", ci];
  const { status } = spawnSync(program, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new SetUpStopped("npm ci failed", "npm ci --ignore-scripts");
}

/** Goes by npm's own record of node_modules. A package for another platform is optional, and may be missing. */
function isInstalled() {
  const installed = packagesOf("node_modules/.package-lock.json");
  const locked = packagesOf("package-lock.json");
  if (!installed || !locked) return false;
  return Object.entries(locked).every(
    ([path, { version, optional }]) =>
      path === "" || (installed[path] ? installed[path].version === version : optional),
  );
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return null;
  }
}
