import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CommitId, SessionId } from "../../../runner/base/ids.js";
import { IndexGateway } from "../../../runner/egress/index/index-gateway.js";
import type { EnvironmentSpec } from "../../../runner/hands/ports/environment.js";
import type { Hands, HandsImage } from "../../../runner/hands/ports/hands.js";
import type { HandsOrigin, HandsProvider } from "../../../runner/hands/ports/provider.js";
import type { Settings } from "../../../runner/settings/settings.js";
import { GitRepo } from "../git-repo.js";
import { makeSource, packOf } from "../sources.js";
import { TinyIndex } from "../tiny-index.js";
import { text } from "./in-hands.js";
import { newSession, worktreeIn } from "./opened.js";

export interface ProviderWorld extends AsyncDisposable {
  readonly origin: HandsOrigin;
  /** with a home of their own */
  readonly settings: Settings;
  /** Counts the sandboxes of a session, whoever started them. */
  sandboxes(session: SessionId): Promise<number>;
  /** Leaves a sandbox of this session, and a repository, as a process that is dead by now would have left them. */
  leaveBehind(session: SessionId): Promise<void>;
  /** Tells whether the repository of a session is kept. */
  keepsRepository(session: SessionId): Promise<boolean>;
}

const { signal } = new AbortController();
const files = { "a.txt": "a\n", "src/app.py": "X = 1\n" };
const nothingMore = { named: null, fromSource: [], version: null, lock: null, prefer: null };
const greet = { name: "greet", version: "1.0", files: { "greet/__init__.py": 'v = "hello"\n' } };

/** Holds one implementation of HandsProvider to its contract. */
export function providerContract(name: string, makeWorld: () => Promise<ProviderWorld>): void {
  describe(name, () => {
    let world: ProviderWorld;
    let provider: HandsProvider;
    let image: HandsImage;
    let source: string;
    let base: CommitId;
    let session: SessionId;

    beforeAll(async () => {
      world = await makeWorld();
      provider = await world.origin.connect(world.settings, signal);
      image = await provider.images.build(() => undefined, signal);
      source = join(world.settings.home, "source");
      base = await makeSource(source, files);
    });
    afterAll(() => world?.[Symbol.asyncDispose]());
    beforeEach(() => {
      session = newSession();
    });

    function open(of = session): Hands {
      return provider.open({ session: of, image, worktree: worktreeIn(world.settings.home, of), signal });
    }

    async function filled(hands: Hands): Promise<Hands> {
      if (!(await hands.clerk.open(base, signal))) await hands.clerk.takePack(packOf(source, base), base, signal);
      return hands;
    }

    test("the image that was built is the one that sessions use, and is what it is made from", async () => {
      expect(await provider.image(signal)).toEqual(image);
      expect(await provider.imageById(image.id, signal)).toEqual(image);
      expect(await provider.imageById(`${image.id.slice(0, -12)}000000000000`, signal)).toBeNull();
      const { images } = provider;
      const listed = await images.list(signal);
      expect(listed.filter(({ current }) => current)).toMatchObject([{ id: image.id, tools: image.tools }]);
      expect(await images.prune(new Set(listed.map(({ id }) => id)), signal)).toMatchObject({ removed: [] });
      expect(await images.verify(signal)).toMatchObject({ image: image.id, same: true });
    });

    test("each thing to look at for a diagnosis says what is there", async () => {
      const looks = world.origin.examinations(world.settings, session);
      expect(new Set(looks.map(({ name }) => name)).size).toBe(looks.length);
      for (const { look } of looks) expect(await look(signal)).not.toBe("");
      expect(await world.sandboxes(session)).toBe(0);
    });

    test("no sandbox is there before it is needed, and none after hands are put away, but what they keep", async () => {
      const shown: string[] = [];
      const hands = open();
      hands.tellReceipts((role, { passed }) => shown.push(`${role} ${passed}`));
      expect(await world.sandboxes(session)).toBe(0);
      await filled(hands);
      expect([await world.sandboxes(session), shown]).toEqual([1, ["clerk true"]]);
      await hands[Symbol.asyncDispose]();
      expect(await world.sandboxes(session)).toBe(0);

      const again = open();
      expect(await again.clerk.open(base, signal)).toBe(true);
      await again.discard();
      const afresh = open();
      expect(await afresh.clerk.open(base, signal)).toBe(false);
      await afresh[Symbol.asyncDispose]();
      await provider.forgetSession(session, signal);
      expect(await world.sandboxes(session)).toBe(0);
    });

    test("hands wait until what was there before them is cleared", async () => {
      let clear: () => void = () => undefined;
      const cleared = new Promise<void>((resolve) => {
        clear = resolve;
      });
      const worktree = worktreeIn(world.settings.home, session);
      const hands = provider.open({ session, image, worktree, cleared, signal });
      const opened = hands.clerk.open(base, signal);
      expect(await Promise.race([opened, new Promise((resolve) => setTimeout(resolve, 50, "waits"))])).toBe("waits");
      clear();
      expect(await opened).toBe(false);
      await hands.discard();
    });

    test("clearing a session ends its sandboxes, whoever has them, and no other's", async () => {
      const other = newSession();
      const [hands, theirs] = [await filled(open()), await filled(open(other))];
      await provider.clearSession(session, signal);
      expect([await world.sandboxes(session), await world.sandboxes(other)]).toEqual([0, 1]);
      expect(await theirs.clerk.open(base, signal)).toBe(true);
      await Promise.all([hands.discard(), theirs.discard()]);
    });

    test("what a dead process left goes, and what a living one has stays", async () => {
      const orphan = newSession();
      await world.leaveBehind(orphan);
      const hands = await filled(open());
      expect([await world.sandboxes(orphan), await world.sandboxes(session)]).toEqual([1, 1]);
      await provider.clearDead(signal);
      expect([await world.sandboxes(orphan), await world.sandboxes(session)]).toEqual([0, 1]);
      const kept = [await world.keepsRepository(orphan), await world.keepsRepository(session)];
      expect([...kept, await hands.clerk.open(base, signal)]).toEqual([false, true, true]);
      await hands.discard();
      expect(await world.keepsRepository(session)).toBe(false);
    });

    test("a source is read as it lies there, uncommitted work included, and git's own files are not", async () => {
      using repo = GitRepo.withCommit({ "shop/prices.py": "PRICE = 1\n" });
      repo.files({ "shop/prices.py": "PRICE = 2\n" });
      const nothing = { like: "(?!)", shown: [] };
      const reading = provider.openReading({ session, image, source: await repo.preflight() });
      expect(await world.sandboxes(session)).toBe(0);
      expect((await reading.start(signal)).passed).toBe(true);
      expect(await world.sandboxes(session)).toBe(1);
      const { answer } = await reading.readFile({ path: "shop/prices.py", maxBytes: 100 }, nothing, signal);
      expect(answer.ok && text(answer.content)).toBe("PRICE = 2\n");
      const found = await reading.glob({ pattern: "**/*", limit: 9 }, nothing, signal);
      expect(found.answer).toMatchObject({ ok: true, paths: ["shop/", "shop/prices.py"] });
      const git = await reading.readFile({ path: ".git/HEAD", maxBytes: 100 }, nothing, signal);
      expect(git.answer.ok).toBe(false);
      await provider.clearSession(session, signal);
      expect((await reading.glob({ pattern: "shop/*", limit: 9 }, nothing, signal)).answer.ok).toBe(true);
      await reading[Symbol.asyncDispose]();
      expect(await world.sandboxes(session)).toBe(0);
    });

    describe("an environment", () => {
      const build = async (spec: EnvironmentSpec, receipts: string[] = []) => {
        await using packages = await TinyIndex.open([greet]);
        const proxies = { https: null, http: null, none: [] };
        await using index = new IndexGateway({ indexes: [{ url: packages.url }], proxies, ca: null });
        const onReceipt = ({ passed, openTo }: { passed: boolean; openTo: readonly string[] }) =>
          void receipts.push(`${passed} ${openTo}`);
        const key = randomBytes(32).toString("hex");
        const order = { session, image, key, spec, index, say: () => undefined, onReceipt, signal };
        return { key, answer: await provider.environments.build(order) };
      };
      const requirements = (line: string): EnvironmentSpec => ({
        files: new Map([["requirements.txt", Buffer.from(`${line}\n`)]]),
        ...nothingMore,
      });

      test("is built, kept, used by whoever works in it, and removed when nobody does", async () => {
        const { environments } = provider;
        const receipts: string[] = [];
        const { key, answer } = await build(requirements("greet==1.0"), receipts);
        if (answer.kind !== "built") throw new Error(JSON.stringify(answer));
        expect(receipts).toEqual(["true the package index"]);
        expect(answer.facts).toMatchObject({ packages: [["greet", "1.0"]], taken: ["requirements.txt"] });
        const { environment } = answer;
        expect(await environments.has(environment, signal)).toBe(true);
        expect(await environments.list(signal)).toEqual([{ name: environment.id, key, isSettled: false }]);
        expect(await world.sandboxes(session)).toBe(0);

        const hands = await filled(open());
        await hands.work.start(signal);
        hands.useEnvironment({ ...environment, digest: "0".repeat(64) });
        await expect(hands.work.start(signal)).rejects.toMatchObject({
          code: "infra",
          message: expect.stringContaining(`${environment.id} is not what tilth made`),
          hint: expect.stringContaining(environment.id),
        });
        hands.useEnvironment(environment);
        expect(hands.work.isCurrent).toBe(false);
        await hands.work.start(signal);
        const { head, exit } = await hands.work.bash("python -c 'import greet; print(greet.v)'", 60_000, signal);
        expect([hands.work.isCurrent, exit, text(head)]).toEqual([true, 0, "hello\n"]);
        expect(await environments.remove(environment.id, signal)).toBe(false);
        await hands.discard();
        expect(await environments.remove(environment.id, signal)).toBe(true);
        expect([await environments.has(environment, signal), await environments.list(signal)]).toEqual([false, []]);
        expect(await environments.remove(environment.id, signal)).toBe(true);
      });

      test("that cannot be made is an answer, and leaves nothing", async () => {
        const { answer } = await build(requirements("nowhere==1.0"));
        expect(answer).toMatchObject({ kind: "unresolved", problem: expect.stringContaining("nowhere") });
        expect([await provider.environments.list(signal), await world.sandboxes(session)]).toEqual([[], 0]);
      });
    });
  });
}
