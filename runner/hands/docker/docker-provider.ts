import type { SessionId } from "../../base/ids.js";
import type { Settings } from "../../settings/settings.js";
import type { BuiltEnvironment } from "../ports/environment.js";
import type { Hands, HandsImage } from "../ports/hands.js";
import type { Images, PrunedImages } from "../ports/images.js";
import type {
  EnvironmentOrder,
  HandsProvider,
  KeptEnvironments,
  SessionOfHands,
  SessionOfReading,
  SourceReading,
} from "../ports/provider.js";
import { openHands } from "./docker-hands.js";
import { openReading } from "./docker-reading.js";
import { Engine } from "./engine/engine.js";
import { buildInVolume } from "./environment-build.js";
import { hasVolume, listVolumes, removeVolume } from "./environment-volume.js";
import { buildImage } from "./image/image-build.js";
import { type DockerImage, findImage, findImageById, listImages } from "./image/image-find.js";
import { outdated, removeImage } from "./image/image-prune.js";
import { verifyImage } from "./image/image-verify.js";
import { reapDead, removeSessionContainers, removeSessionVolume } from "./reap.js";

/** Hands on a Docker engine: sandboxes are containers, and what is kept lies in volumes. */
export class DockerProvider implements HandsProvider {
  readonly facts: Engine["facts"];
  readonly images: Images;
  readonly environments: KeptEnvironments;
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #found = new Map<string, DockerImage>();

  private constructor(engine: Engine, settings: Settings) {
    this.#engine = engine;
    this.#settings = settings;
    this.facts = engine.facts;
    this.images = new EngineImages(engine, settings, (image) => this.#remembered(image));
    this.environments = {
      build: (order: EnvironmentOrder) =>
        buildInVolume({ ...order, engine, settings, image: this.#docker(order.image) }),
      has: ({ id }: BuiltEnvironment, signal) => hasVolume(this.#volumes(signal), id),
      remove: (id, signal) => removeVolume(this.#volumes(signal), id),
      list: (signal) => listVolumes(this.#volumes(signal)),
    };
  }

  static async connect(settings: Settings, signal: AbortSignal): Promise<DockerProvider> {
    return new DockerProvider(await Engine.connect(settings, signal), settings);
  }

  async image(signal: AbortSignal): Promise<HandsImage | null> {
    const image = await findImage(this.#engine, this.#settings, signal);
    return image && this.#remembered(image);
  }

  async imageById(id: string, signal: AbortSignal): Promise<HandsImage | null> {
    const image = await findImageById(id, { engine: this.#engine, settings: this.#settings, signal });
    return image && this.#remembered(image);
  }

  open(session: SessionOfHands): Hands {
    return openHands({ ...session, ...this.#around(session.image) });
  }

  openReading(session: SessionOfReading): SourceReading {
    return openReading({ ...session, ...this.#around(session.image) });
  }

  async clearDead(signal: AbortSignal): Promise<void> {
    await reapDead(this.#engine, this.#settings.home, { signal });
  }

  async clearSession(session: SessionId, signal: AbortSignal): Promise<void> {
    await removeSessionContainers(this.#engine, { session, home: this.#settings.home }, signal);
  }

  async forgetSession(session: SessionId, signal: AbortSignal): Promise<void> {
    await removeSessionVolume(this.#engine, { session, home: this.#settings.home }, signal);
  }

  #around(image: HandsImage) {
    return { engine: this.#engine, settings: this.#settings, image: this.#docker(image) };
  }

  #volumes(signal: AbortSignal) {
    return { engine: this.#engine, home: this.#settings.home, signal };
  }

  #remembered(image: DockerImage): DockerImage {
    this.#found.set(image.id, image);
    return image;
  }

  #docker({ id }: HandsImage): DockerImage {
    const image = this.#found.get(id);
    if (image === undefined) throw new Error(`the image ${id} was not found by this provider`);
    return image;
  }
}

class EngineImages implements Images {
  constructor(
    private readonly engine: Engine,
    private readonly settings: Settings,
    private readonly remembered: (image: DockerImage) => HandsImage,
  ) {}

  async build(say: (line: string) => void, signal: AbortSignal): Promise<HandsImage> {
    return this.remembered(await buildImage({ engine: this.engine, settings: this.settings, say, signal }));
  }

  list(signal: AbortSignal) {
    return listImages(this.engine, this.settings, signal);
  }

  async prune(needed: ReadonlySet<string>, signal: AbortSignal): Promise<PrunedImages> {
    const [removed, inUse]: [string[], string[]] = [[], []];
    for (const image of outdated(await this.list(signal), needed))
      ((await removeImage(this.engine, image, signal)) ? removed : inUse).push(...image.tags);
    return { removed, inUse };
  }

  verify(signal: AbortSignal) {
    return verifyImage(this.engine, this.settings, signal);
  }
}
