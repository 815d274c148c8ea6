import { expect, test } from "vitest";
import { kinds } from "../../../../../runner/hands/pipe/wire/protocol.js";
import { type CheckSandbox, Zygote } from "../../../../../runner/hands/roles/check/containers/zygote.js";
import { lintWorkspace } from "../../../../../runner/hands/roles/check/runs/lint.js";
import { pinnedRules } from "../../../../../runner/hands/roles/ruff-rules.js";
import { FakeResident } from "../../../../helpers/resident-fake.js";

async function linting() {
  const { resident, channel } = await FakeResident.open();
  const container: CheckSandbox = Object.assign(channel, { isLost: false });
  const { signal } = new AbortController();
  const run = { rules: pinnedRules, timeoutMs: 5_000, env: {}, signal };
  const report = lintWorkspace({ container, zygote: new Zygote(container, {}) }, run);
  const { callId } = await resident.next(kinds.call);
  return { resident, channel, report, callId };
}

test("findings beyond all bounds are a problem of the tree, and do not cost the container", async () => {
  const { resident, channel, report, callId } = await linting();
  // realistic findings, because JSON.parse takes ten seconds for a nest of nothing but brackets
  const finding = `${JSON.stringify({ code: "F401", filename: "a.py", message: "x".repeat(1_000) })},`;
  const some = Buffer.from(finding.repeat(250));
  resident.send(kinds.output, callId, "[");
  for (let sent = 0; sent < 90 * 1024 * 1024; sent += some.length) resident.send(kinds.output, callId, some);
  resident.answer(callId, {
    ok: true,
    exit: 1,
    signal: null,
    timed_out: false,
    killed: [],
    ms: 9,
    full: null,
    stderr: "",
  });
  expect(await report).toMatchObject({ findings: [], problem: "ruff ended with 1" });
  await channel[Symbol.asyncDispose]();
});

test("a ruff that cannot be started is a problem of the environment that brought it", async () => {
  const { resident, channel, report, callId } = await linting();
  resident.answer(callId, { ok: false, code: "io", message: "ruff could not be started" });
  expect(await report).toMatchObject({ findings: [], exit: null, problem: "ruff could not be started" });
  await channel[Symbol.asyncDispose]();
});
