import { createHash } from "node:crypto";
import { zipOf } from "./zip.js";

/** A distribution with only the parts that an index needs. */
export interface TinyPackage {
  readonly name: string;
  readonly version: string;
  readonly requires?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** lines of its metadata, after those that an index needs */
  readonly more?: string;
  /** the text of its `entry_points.txt` */
  readonly entryPoints?: string;
  readonly deflated?: boolean;
}

export const wheelName = ({ name, version }: TinyPackage): string =>
  `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`;

/** The bytes of the distribution's wheel. */
export function wheelOf({
  name,
  version,
  requires = [],
  files,
  more = "",
  entryPoints,
  deflated,
}: TinyPackage): Buffer {
  const info = `${name.replaceAll("-", "_")}-${version}.dist-info`;
  const needs = requires.map((each) => `Requires-Dist: ${each}\n`).join("");
  const content: Readonly<Record<string, string>> = {
    ...(files ?? { [`${name.replaceAll("-", "_")}.py`]: "" }),
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${needs}${more}`,
    ...(entryPoints === undefined ? {} : { [`${info}/entry_points.txt`]: entryPoints }),
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  };
  const lines = Object.entries(content).map(
    ([path, text]) => `${path},sha256=${digestOf(text)},${Buffer.byteLength(text)}\n`,
  );
  return zipOf(
    { ...content, [`${info}/RECORD`]: `${lines.join("")}${info}/RECORD,,\n` },
    { deflated: deflated ?? false },
  );
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
