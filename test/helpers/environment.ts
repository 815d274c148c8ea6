import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import Docker from "dockerode";
import { checkImage } from "./check-image.js";

/** An installed package, as its wheel would leave it. */
export interface Package {
  readonly name: string;
  readonly version?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** the text of its entry_points.txt */
  readonly entryPoints?: string;
}

interface Contents {
  readonly packages?: readonly Package[];
  /** distributions to fetch from the package index, with everything that they need */
  readonly requirements?: readonly string[];
  /** a project of which the environment holds the metadata and the scripts, but no code */
  readonly project?: Package & { readonly scripts?: Readonly<Record<string, string>> };
  readonly sourceRoots?: readonly string[];
}

const root = "/opt/tilth/env";
const ofImage = "import os, sys; print(os.path.realpath(sys.executable), *sys.version_info[:2])";

/** A folder that becomes an environment when it is mounted at /opt/tilth/env. */
export class Environment implements Disposable {
  private constructor(
    readonly folder: string,
    private readonly site: string,
  ) {}

  static async of(contents: Contents): Promise<Environment> {
    const image = await checkImage();
    const [python = "", major, minor] = (await pythonOf(image)).trim().split(" ");
    const folder = mkdtempSync(join(tmpdir(), "tilth-environment-"));
    chmodSync(folder, 0o755);
    const site = `lib/python${major}.${minor}/site-packages`;
    const made = new Environment(folder, site);
    made.write("pyvenv.cfg", `home = ${dirname(python)}\ninclude-system-site-packages = false\n`);
    mkdirSync(join(folder, "bin"));
    mkdirSync(join(folder, site), { recursive: true });
    for (const name of ["python", "python3"]) symlinkSync(python, join(folder, "bin", name));
    if (contents.requirements) await made.fetch(image, contents.requirements);
    const holdsPytest = contents.requirements?.some((name) => name.startsWith("pytest==")) ?? false;
    made.fill(contents, holdsPytest ? [] : [`/opt/tilth/venv/${site}`]);
    return made;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private fill({ packages = [], project, sourceRoots = ["/workspace"] }: Contents, more: readonly string[]): void {
    for (const one of packages) {
      for (const [path, text] of Object.entries(one.files ?? {})) this.write(`${this.site}/${path}`, text);
      this.describe(one, "uv", Object.keys(one.files ?? {}));
    }
    if (project) this.describe(project, "tilth", []);
    for (const [name, target] of Object.entries(project?.scripts ?? {})) {
      const [module, attribute] = target.split(":");
      const text = `#!${root}/bin/python\nimport sys\nfrom ${module} import ${attribute}\nsys.exit(${attribute}())\n`;
      this.write(`bin/${name}`, text, 0o755);
    }
    this.write(`${this.site}/tilth.pth`, `${[...sourceRoots, ...more].join("\n")}\n`);
    this.write("tilth.json", "{}\n");
  }

  private describe({ name, version = "1.0", entryPoints }: Package, by: string, files: readonly string[]): void {
    const info = `${name.replaceAll("-", "_")}-${version}.dist-info`;
    const own = { METADATA: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`, INSTALLER: `${by}\n` };
    const texts = { ...own, ...(entryPoints === undefined ? {} : { "entry_points.txt": entryPoints }) };
    const record = [...files, ...Object.keys(texts).map((file) => `${info}/${file}`)].map((path) => `${path},,\n`);
    for (const [file, text] of Object.entries({ ...texts, RECORD: record.join("") }))
      this.write(`${this.site}/${info}/${file}`, text);
  }

  private async fetch(image: string, requirements: readonly string[]): Promise<void> {
    const bundle = process.env.SSL_CERT_FILE ?? "/etc/ssl/certs/ca-certificates.crt";
    const uv = ["pip", "install", "--quiet", "--no-cache", "--python", `${root}/bin/python`, ...requirements];
    await inImage(image, uv, [`${this.folder}:${root}`, `${bundle}:/tmp/bundle.crt:ro`], "/opt/tilth/venv/bin/uv");
  }

  private write(path: string, text: string, mode = 0o644): void {
    const target = join(this.folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { mode });
  }
}

const pythons = new Map<string, Promise<string>>();

/** Asks a container once for all the files of a process. */
function pythonOf(image: string): Promise<string> {
  const told = pythons.get(image) ?? inImage(image, ["-I", "-S", "-c", ofImage], []);
  pythons.set(image, told);
  told.catch(() => pythons.delete(image));
  return told;
}

async function inImage(
  image: string,
  argv: readonly string[],
  binds: readonly string[],
  program = "/opt/tilth/python",
) {
  const said = new PassThrough();
  const chunks: Buffer[] = [];
  said.on("data", (chunk: Buffer) => void chunks.push(chunk));
  const names = ["HTTPS_PROXY", "PIP_INDEX_URL", "UV_INDEX_URL"];
  const kept = names.flatMap((name) => (process.env[name] ? [`${name}=${process.env[name]}`] : []));
  const [ended] = await new Docker().run(image, [...argv], said, {
    Entrypoint: [program],
    User: `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
    Env: [...kept, "SSL_CERT_FILE=/tmp/bundle.crt", "HOME=/tmp"],
    Tty: true,
    HostConfig: { AutoRemove: true, Binds: [...binds], NetworkMode: binds.length > 0 ? "host" : "none" },
  });
  const text = Buffer.concat(chunks).toString("utf8");
  if (ended.StatusCode !== 0) throw new Error(`in the image: ${argv.join(" ")}: ${text}`);
  return text;
}
