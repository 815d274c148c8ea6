import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type Basis, findHands, findSource } from "../runner/app/opening/basis.js";
import { newEnvironments } from "../runner/app/opening/open-environments.js";
import { handsOf } from "../runner/app/opening/session-hands.js";
import { hostPath } from "../runner/base/ids.js";
import { EnvironmentStore } from "../runner/environment/environment-store.js";
import type { BuiltEnvironment } from "../runner/hands/ports/environment.js";
import type { Hands } from "../runner/hands/ports/hands.js";
import { SessionStore } from "../runner/index.js";
import { EventLog } from "../runner/session/log/event-log.js";
import type { EventType, Payload } from "../runner/session/log/events.js";
import type { SessionFiles } from "../runner/session/session-files.js";
import type { Settings } from "../runner/settings/settings.js";
import { type Files, makeSource } from "../test/helpers/sources.js";
import { TinyIndex } from "../test/helpers/tiny-index.js";
import type { TinyPackage } from "../test/helpers/tiny-wheel.js";
import type { Bench } from "./line.js";

/** An environment on the engine and the session that asked for it, after the index it came from is gone. */
export class StandingEnvironment implements AsyncDisposable {
  private constructor(
    private readonly bench: Bench,
    private readonly parts: Parts,
    readonly built: BuiltEnvironment,
  ) {}

  static async make(bench: Bench, files: Files, packages: readonly TinyPackage[]): Promise<StandingEnvironment> {
    const { signal } = bench;
    const folder = mkdtempSync(join(bench.folder, "source-"));
    await makeSource(folder, files);
    await using index = await TinyIndex.open(packages);
    const none = { dependencies: null, buildFromSource: [] };
    const settings = { ...bench.settings, ...none, packages: { indexes: [index.url] } };
    const source = await findSource({ settings, source: folder, trustSource: false, signal });
    const basis = { source, ...(await findHands({ settings, signal })) };
    const session = new SessionStore(hostPath(settings.home)).create({
      source: source.workTree,
      baseCommit: source.head,
    });
    const hands = handsOf(session, basis, { signal });
    const parts = { settings, basis, session, hands };
    try {
      if (!(await stage(bench, parts))) throw new Error("the environment was there before it was made");
      const known = new EnvironmentStore(settings.home).all().values();
      const [built] = [...known].flatMap((record) => record.built ?? []);
      if (built === undefined) throw new Error("there is no environment");
      return new StandingEnvironment(bench, parts, built);
    } catch (error) {
      await hands.discard();
      throw error;
    }
  }

  /**
   * Does what a seed does: reads the base's dependency files, finds the volume, and puts it on the session's record.
   */
  async find(): Promise<void> {
    if (await stage(this.bench, this.parts)) throw new Error("the environment was made again");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.parts.hands.discard();
  }
}

interface Parts {
  readonly settings: Settings;
  readonly basis: Basis;
  readonly session: SessionFiles;
  readonly hands: Hands;
}

/** Tells whether the environment had to be made. */
async function stage({ signal }: Bench, { session, basis, ...rest }: Parts): Promise<boolean> {
  const { head } = basis.source;
  using log = EventLog.open(session.paths.events, (text) => text);
  let built = false;
  const append = <T extends EventType>(type: T, payload: Payload<T>) => {
    if ("built" in payload) built = payload.built;
    log.append(type, payload);
  };
  const environments = await newEnvironments({
    ...{ ...rest, basis, files: session, log: { append }, signal },
    ...{ base: head, tip: async () => head, say: () => undefined },
  });
  await environments.stage();
  return built;
}
