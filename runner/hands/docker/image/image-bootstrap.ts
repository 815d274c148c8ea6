import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { TilthError } from "../../../base/errors.js";
import type { BuildContext } from "./image-engine.js";

export type Distribution = "debian" | "ubuntu";

interface Source {
  readonly distribution: Distribution;
  readonly codename: string;
}

/** Arguments that decide the content of the base. They remove the host's own names again, which the tool copies in. */
export const bootstrapMethod = [
  "--mode=root",
  "--variant=apt",
  "--skip=output/dev",
  "--include=python3,python3-venv,git,ripgrep,ca-certificates,netbase,tzdata",
  '--aptopt=Apt::Install-Recommends "false"',
  ...["man", "doc", "info", "locale"].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`),
  '--customize-hook=rm -f "$1"/etc/resolv.conf "$1"/etc/hostname "$1"/etc/apt/apt.conf.d/99mmdebstrap',
] as const;

const tool = "/usr/bin/mmdebstrap";
const components: Readonly<Record<Distribution, readonly string[]>> = {
  debian: ["main"],
  ubuntu: ["main", "universe"],
};
const fixed = {
  PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C",
  DEBIAN_FRONTEND: "noninteractive",
  /** any fixed date: the same packages then give the same bytes */
  SOURCE_DATE_EPOCH: "1700000000",
};
const run = promisify(execFile);

/** Writes a root file system of the distribution's packages as a tar archive. */
export async function makeArchive(source: Source, archive: string, context: BuildContext): Promise<void> {
  requireTool();
  const options = [...bootstrapMethod, ...keyring(source), ...(await aptOptions(context))];
  await runTool([...options, source.codename, archive, ...(await mirrors(source))], context);
}

function requireTool(): void {
  const cannot = "the hands image cannot be built: no image registry answers, and";
  if (process.getuid?.() !== 0)
    throw new TilthError(
      "usage",
      `${cannot} only root can make a base of the host's packages`,
      "run sudo tilth image build once, or name a base that the engine can reach: tilth image build --base NAME@sha256:…",
    );
  if (!existsSync(tool))
    throw new TilthError(
      "usage",
      `${cannot} mmdebstrap, which makes a base of the host's packages, is not installed`,
      "apt-get install --no-install-recommends -y mmdebstrap",
    );
}

function keyring({ distribution }: Source): string[] {
  const file = `/usr/share/keyrings/${distribution}-archive-keyring.gpg`;
  return existsSync(file) ? [`--keyring=${file}`] : [];
}

/** Copies the host's apt settings for its mirrors: proxies, certificates, retries. */
async function aptOptions({ settings }: BuildContext): Promise<string[]> {
  const { stdout } = await run("apt-config", ["dump", "--format", '%f "%v"%n', "Acquire"], { env: fixed });
  const kept = stdout.split("\n").filter((line) => /^Acquire::(https?::|Check-Valid-Until|Retries)/.test(line));
  if (settings.caBundle) kept.push(`Acquire::https::CAInfo ${JSON.stringify(settings.caBundle)}`);
  return kept.map((line) => `--aptopt=${line}`);
}

/**
 * Lists the host's mirrors of its suite, security updates included; none are known before its first `apt-get update`.
 */
async function mirrors({ distribution, codename }: Source): Promise<string[]> {
  const format = "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)";
  const { stdout } = await run("apt-get", ["indextargets", "--format", format, "Created-By: Packages"], { env: fixed });
  const suites = ["", "-updates", "-security"].map((suffix) => codename + suffix);
  const lines = stdout.split("\n").flatMap((line) => {
    const [origin = "", uri = "", release = "", component = ""] = line.split("|");
    const wanted = origin.toLowerCase() === distribution && suites.includes(release);
    return wanted && components[distribution].includes(component) ? [`deb ${uri} ${release} ${component}`] : [];
  });
  return lines.length > 0 ? [...new Set(lines)] : [`--components=${components[distribution].join(",")}`];
}

async function runTool(args: readonly string[], { settings, say, signal }: BuildContext): Promise<void> {
  const env = { ...settings.buildEnvironment, ...fixed };
  const child = spawn(tool, args, { env, stdio: ["ignore", "ignore", "pipe"], signal });
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    if (line.startsWith("I: ")) say(`  ${line.slice(3)}`);
  }
  const exit = await ended;
  signal.throwIfAborted();
  if (exit === 0) return;
  throw new TilthError(
    "usage",
    `mmdebstrap could not make a base of the host's packages: ${said.slice(-5).join(" ").trim() || `it ended with ${exit}`}`,
    "see whether apt-get update works on this host",
  );
}
