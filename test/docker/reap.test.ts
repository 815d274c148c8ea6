import { randomBytes } from "node:crypto";
import { afterEach, beforeAll, expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { asSessionId, type SessionId } from "../../runner/base/ids.js";
import { type ProcessTable, systemProcesses } from "../../runner/disk/processes.js";
import { ownerOf } from "../../runner/hands/docker/container/owner.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { reapDead, removeSessionContainers, removeSessionVolume } from "../../runner/hands/docker/reap.js";
import { realImage } from "../helpers/image.js";

const { signal } = new AbortController();
const home = `/nonexistent/tilth-reap-${randomBytes(4).toString("hex")}`;
const processes: ProcessTable = {
  self: systemProcesses.self,
  look: (pid) => ({ alive: pid === process.pid, started: null }),
};
const session = newSession();
const alive = ownerOf(home);
const dead = { ...alive, pid: 999_999_999 };
let engine: Engine;
let image: string;
const made: string[] = [];

beforeAll(async () => {
  engine = await Engine.connect(loadSettings(), signal);
  image = (await realImage(engine)).id;
});

afterEach(async () => {
  for (const id of made.splice(0))
    await engine.docker
      .getContainer(id)
      .remove({ force: true })
      .catch(() => undefined);
});

function newSession(): SessionId {
  const id = asSessionId(`20250101-000000-${randomBytes(3).toString("hex")}`);
  if (!id) throw new Error("not a session id");
  return id;
}

async function make(owner: object | string, started: boolean, of: SessionId = session): Promise<string> {
  const label = typeof owner === "string" ? owner : JSON.stringify(owner);
  const container = await engine.docker.createContainer({
    Image: image,
    Entrypoint: ["/bin/sleep", "60"],
    Labels: { "tilth.session": of, "tilth.owner": label },
    HostConfig: { NetworkMode: "none" },
  });
  made.push(container.id);
  if (started) await container.start();
  return container.id;
}

async function left(): Promise<string[]> {
  const listed = await engine.docker.listContainers({ all: true, filters: { label: ["tilth.owner"] } });
  return listed.map(({ Id }) => Id).filter((id) => made.includes(id));
}

test("only containers that a dead process of this home left are removed, started or not", async () => {
  const doomed = [await make(dead, true), await make(dead, false)];
  const kept = [
    await make(alive, true),
    await make({ ...dead, home: "another" }, false),
    await make({ ...dead, uid: alive.uid + 1 }, false),
    await make({ ...dead, pid_ns: "another" }, false),
    await make("no owner at all", false),
  ];
  expect(await reapDead(engine, home, { signal, processes })).toBe(doomed.length);
  expect(new Set(await left())).toEqual(new Set(kept));
});

test("taking a session's lock removes every container of that session, and of no other", async () => {
  await make(alive, true);
  await make(dead, false);
  const other = await make(alive, false, newSession());
  const foreign = await make({ ...alive, home: "another" }, false);
  expect(await removeSessionContainers(engine, { session, home }, signal)).toBe(2);
  expect(new Set(await left())).toEqual(new Set([other, foreign]));
});

test("a session's volume is removed, and another home's of the same name stays", async () => {
  const name = `tilth-${session}-repo`;
  const labels = (owner: object) => ({ "tilth.session": session, "tilth.owner": JSON.stringify(owner) });
  const exists = () =>
    engine.docker
      .getVolume(name)
      .inspect()
      .then(
        () => true,
        () => false,
      );
  await engine.docker.createVolume({ Name: name, Labels: labels({ ...alive, home: "another" }) });
  await removeSessionVolume(engine, { session, home }, signal);
  expect(await exists()).toBe(true);
  await engine.docker.getVolume(name).remove();
  await engine.docker.createVolume({ Name: name, Labels: labels(dead) });
  await removeSessionVolume(engine, { session, home }, signal);
  expect(await exists()).toBe(false);
  await removeSessionVolume(engine, { session, home }, signal);
});

test("a volume whose session is gone is reaped, unless a living process made it", async () => {
  const [orphan, young] = [newSession(), newSession()];
  for (const [of, owner] of [
    [orphan, dead],
    [young, alive],
  ] as const) {
    const labels = { "tilth.session": of, "tilth.owner": JSON.stringify(owner) };
    await engine.docker.createVolume({ Name: `tilth-${of}-repo`, Labels: labels });
  }
  await reapDead(engine, home, { signal, processes });
  const { Volumes } = await engine.docker.listVolumes();
  const names = Volumes.map(({ Name }) => Name);
  expect(names).not.toContain(`tilth-${orphan}-repo`);
  expect(names).toContain(`tilth-${young}-repo`);
  await removeSessionVolume(engine, { session: young, home }, signal);
});
