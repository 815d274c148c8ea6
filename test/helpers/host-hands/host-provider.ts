import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { asSessionId, type SessionId } from "../../../runner/base/ids.js";
import type { Hands, HandsImage } from "../../../runner/hands/ports/hands.js";
import type {
  EnvironmentOrder,
  HandsOrigin,
  HandsProvider,
  KeptEnvironments,
  SessionOfHands,
  SessionOfReading,
  SourceReading,
} from "../../../runner/hands/ports/provider.js";
import { SandboxedHands } from "../../../runner/hands/roles/all/sandboxed-hands.js";
import { SandboxedReading } from "../../../runner/hands/roles/read/reading.js";
import { SandboxStarts } from "../../../runner/hands/roles/starts.js";
import type { Settings } from "../../../runner/settings/settings.js";
import { hostExaminations } from "./examinations.js";
import { hostEnvironments } from "./host-environments.js";
import { HostImages } from "./host-images.js";
import { endSandbox, HostSandbox } from "./host-sandbox.js";
import { requireNamespaces } from "./namespaces.js";
import { isDead, isOwn, type Note, notesIn, writeNote } from "./owner.js";
import { openFolder, type Places, placesIn, repositoryOf } from "./places.js";

/**
 * Hands on this host: sandboxes are processes of it, and what is kept lies in folders. For tests alone, for it protects
 * nobody: a program in such a sandbox has the host's network and, as far as its user may, the host.
 */
export class HostProvider implements HandsProvider {
  readonly facts = { kind: "processes of this host" };
  readonly images: HostImages;
  readonly environments: KeptEnvironments;
  readonly #places: Places;

  private constructor(
    private readonly settings: Settings,
    images: string,
  ) {
    this.#places = placesIn(settings.home);
    this.images = new HostImages(images, settings);
    const startsOf = (order: EnvironmentOrder) => this.#starts(order, Promise.resolve());
    this.environments = hostEnvironments(this.#places, settings.sandbox.diskBytes, startsOf);
  }

  static async connect(settings: Settings, images: string): Promise<HostProvider> {
    await requireNamespaces();
    return new HostProvider(settings, images);
  }

  async image(): Promise<HandsImage | null> {
    return this.images.current();
  }

  async imageById(id: string): Promise<HandsImage | null> {
    return this.images.byId(id);
  }

  open(of: SessionOfHands): Hands {
    const { session, cleared } = of;
    const repository = repositoryOf(this.#places, session);
    openFolder(repository);
    writeNote(repository, { session });
    return new SandboxedHands(of, {
      starts: this.#starts(of, Promise.resolve(cleared)),
      imageEnv: this.images.byId(of.image.id)?.env ?? {},
      diskBytes: this.settings.sandbox.diskBytes,
      removalOf: (id) => `rm -r ${join(this.#places.environments, id)}`,
      sweep: () => this.#end((note) => note.session === session && isOwn(note.owner)),
      forget: () => this.forgetSession(session),
    });
  }

  openReading(of: SessionOfReading): SourceReading {
    return new SandboxedReading(of, this.#starts(of, Promise.resolve(of.cleared)));
  }

  async clearDead(): Promise<void> {
    await this.#end(({ owner }) => isDead(owner));
    for (const [name, { owner }] of notesIn(this.#places.repositories)) {
      const session = asSessionId(name);
      const isGone = !existsSync(join(this.settings.home, "sessions", name));
      if (session !== null && isGone && isDead(owner)) await this.forgetSession(session);
    }
  }

  async clearSession(session: SessionId): Promise<void> {
    await this.#end((note) => note.session === session);
  }

  async forgetSession(session: SessionId): Promise<void> {
    const repository = repositoryOf(this.#places, session);
    rmSync(`${repository}.json`, { force: true });
    rmSync(repository, { recursive: true, force: true });
  }

  #starts(
    { session, image, leaseSeconds }: Pick<SessionOfReading, "session" | "image" | "leaseSeconds">,
    prepared: Promise<unknown>,
  ): SandboxStarts {
    const of = { places: this.#places, session, root: this.images.rootOf(image.id), leaseSeconds };
    return new SandboxStarts((view, signal, more) => HostSandbox.start(view, of, signal, more), prepared);
  }

  async #end(condemned: (note: Note) => boolean): Promise<void> {
    const { sandboxes } = this.#places;
    const doomed = [...notesIn(sandboxes)].filter(([, note]) => condemned(note));
    await Promise.all(doomed.map(([name, { process }]) => process && endSandbox(join(sandboxes, name), process)));
  }
}

/** `images` is a folder for the roots of sandboxes, which several homes may share. */
export function hostOrigin(images: string): HandsOrigin {
  return {
    connect: (settings) => HostProvider.connect(settings, images),
    examinations: (settings, session) => hostExaminations(settings, images, session),
  };
}
