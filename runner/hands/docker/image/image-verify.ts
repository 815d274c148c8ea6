import { TilthError } from "../../../base/errors.js";
import type { Settings } from "../../../settings/settings.js";
import type { Comparison, ImageVerification } from "../../ports/images.js";
import type { Engine } from "../engine/engine.js";
import { localImage } from "./image-engine.js";
import { type ImageFacts, readFacts } from "./image-facts.js";
import { findImage, labelsOf } from "./image-find.js";
import { toolsIn } from "./image-labels.js";
import { contextFiles, sha256 } from "./image-recipe.js";

const compares =
  "compared are the programs and the lock file in the image with this package's, the installed packages with the lock, " +
  "their files with what their wheels recorded, what is compiled with its source, and the tools that answer with the image's label; " +
  "the base's own files are not, only its name stands in the recipe";

/** Checks the image that sessions use against its recipe, by asking it with this package's own program. */
export async function verifyImage(engine: Engine, settings: Settings, signal: AbortSignal): Promise<ImageVerification> {
  const found = await findImage(engine, settings, signal);
  const image = found && (await localImage(found.id, { engine, signal }));
  if (!image) throw new TilthError("usage", "there is no hands image on the engine yet", "tilth image build");
  const facts = await readFacts(image.Id, { engine, signal });
  const comparisons = [
    ...files(facts),
    ...packages(facts),
    ...(settings.sandbox.image === null ? [strangers(facts)] : []),
    compare("files of packages and compiled programs that were altered", "none", facts.altered.join(", ") || "none"),
    compare("tools", toolsIn(labelsOf(image)).join(", "), facts.tools.join(", ")),
  ];
  return { image: image.Id, compares, comparisons, same: comparisons.every(({ same }) => same) };
}

function compare(what: string, expected: string, seen: string): Comparison {
  return { what, expected, seen, same: expected === seen };
}

function files({ files: seen }: ImageFacts): readonly Comparison[] {
  const shipped = contextFiles().filter(({ name }) => /\.(py|lock)$/.test(name));
  const expected = new Map(shipped.map(({ name, content }) => [name, sha256(content)]));
  const names = new Set([...expected.keys(), ...Object.keys(seen)]);
  return [...names].map((name) =>
    compare(`/opt/tilth/${name}`, expected.get(name) ?? "absent", seen[name] ?? "absent"),
  );
}

/** Skips packages with a marker in the lock: only other platforms or Pythons need them. */
function packages({ packages: seen }: ImageFacts): readonly Comparison[] {
  const pins = [...lockFile().matchAll(/^([\w.-]+)==(\S+) (?!;)/gm)];
  return pins.map(([, name = "", version = ""]) => compare(name, version, seen[name] ?? "absent"));
}

/** Finds packages beside the lock. Ours has none; an image of the person's own may have some. */
function strangers({ packages: seen }: ImageFacts): Comparison {
  const known = new Set([...lockFile().matchAll(/^([\w.-]+)==/gm)].map(([, name]) => name));
  const others = Object.keys(seen).filter((name) => !known.has(name));
  return compare("packages beside the lock", "none", others.join(", ") || "none");
}

function lockFile(): string {
  return (
    contextFiles()
      .find(({ name }) => name === "requirements.lock")
      ?.content.toString("utf8") ?? ""
  );
}
