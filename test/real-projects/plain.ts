import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { loadSettings } from "../../cli/settings/settings.js";
import { packageFolder } from "../../runner/base/package-folder.js";
import { containerIdentity } from "../../runner/hands/ports/identity.js";
import { realImage } from "../helpers/image.js";
import { unpack } from "./archive.js";
import type { RealProject } from "./projects.js";
import { type Outcomes, outcomesIn, report, suiteCommand } from "./suite.js";

export interface PlainRun {
  readonly outcomes: Outcomes;
  readonly output: string;
}

/**
 * Runs the project's own tests in a virtual environment such as a person makes: the packages of the lock, the project
 * installed as editable, in a container of the same image and user with the host's network.
 */
export async function inPlainEnvironment(project: RealProject, archive: string, lock: string): Promise<PlainRun> {
  const folder = mkdtempSync(join(tmpdir(), "tilth-plain-"));
  try {
    unpack(archive, join(folder, "workspace"));
    const given = join(folder, "given");
    mkdirSync(given);
    writeFileSync(join(given, "environment.lock"), lock);
    cpSync(join(packageFolder, "images/hands/requirements.lock"), join(given, "image.lock"));
    const { caBundle } = loadSettings();
    if (caBundle !== null) cpSync(caBundle, join(given, "ca.crt"));
    writeFileSync(join(given, "run.sh"), script(project, /^pytest==/m.test(lock), caBundle !== null));
    const output = await inContainer(folder);
    const found = join(given, "report.json");
    return { outcomes: outcomesIn(existsSync(found) ? readFileSync(found, "utf8") : "{}"), output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function script(project: RealProject, ownPytest: boolean, ownCa: boolean): string {
  const [main = "", ...more] = loadSettings().packages.indexes;
  const tools = ["pytest", "iniconfig", "packaging", "pluggy", "pygments"].join("|");
  return `set -eu
cd /workspace
${ownCa ? "export SSL_CERT_FILE=/given/ca.crt PIP_CERT=/given/ca.crt" : ""}
export UV_DEFAULT_INDEX='${main}' UV_INDEX='${more.join(" ")}' UV_CACHE_DIR=/tmp/uv UV_NO_CONFIG=1
uv venv -q --python "$(readlink -f /opt/tilth/python)" /tmp/venv
export VIRTUAL_ENV=/tmp/venv PATH=/tmp/venv/bin:/opt/tilth/venv/bin:$PATH
if [ -s /given/environment.lock ]; then uv pip install -q --no-deps --require-hashes -r /given/environment.lock; fi
${ownPytest ? "" : `grep -Eo '^(${tools})==[^ ]+' /given/image.lock >/tmp/image.txt; cut -d= -f1 /given/environment.lock | grep -E '^[a-z]' | sort -u >/tmp/there.txt || true; grep -vEf <(sed 's/.*/^&==/' /tmp/there.txt | grep . || echo '^$') /tmp/image.txt >/tmp/more.txt || true; uv pip install -q --no-deps -r /tmp/more.txt`}
uv pip install -q --no-deps -e .
PATH=/tmp/venv/bin:/opt/tilth/venv/bin:/usr/local/bin:/usr/bin:/bin
unset UV_DEFAULT_INDEX UV_INDEX UV_CACHE_DIR UV_NO_CONFIG
set +e
${suiteCommand(project)}
cp ${report} /given/report.json
`;
}

async function inContainer(folder: string): Promise<string> {
  const docker = new Docker();
  const { uid, gid } = containerIdentity();
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", `${uid}:${gid}`, folder]);
  const tmpfs = "rw,exec,nosuid,nodev,size=2147483648,mode=1777";
  const container = await docker.createContainer({
    Image: (await realImage()).id,
    Entrypoint: ["/bin/bash", "/given/run.sh"],
    User: `${uid}:${gid}`,
    Tty: true,
    HostConfig: {
      NetworkMode: "host",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Tmpfs: { "/tmp": tmpfs, "/home/tilth": tmpfs },
      Binds: [`${join(folder, "workspace")}:/workspace`, `${join(folder, "given")}:/given`],
    },
  });
  try {
    await container.start();
    await container.wait();
    const logs = await container.logs({ stdout: true, stderr: true });
    return logs.toString("utf8");
  } finally {
    await container.remove({ force: true });
  }
}
