import { test } from "vitest";
import { Output } from "../../../cli/output/output.js";
import { forPerson } from "../../../cli/watch/watch.js";
import { commitId, hostPath } from "../../../runner/base/ids.js";
import { SessionStore } from "../../../runner/index.js";
import { noUsage } from "../../../runner/session/summary/usage.js";
import { loopSettings } from "../../helpers/loop-settings.js";
import { scratch } from "../../helpers/scratch.js";
import { soon } from "../../helpers/soon.js";
import { logOf, modelCall, oid } from "../../session/event-fixtures.js";

test("a resumed run is drawn with the totals of its log, also when the checkpoint is behind", async () => {
  let text = "";
  const sink = async (bytes: Buffer) => {
    text += bytes.toString();
  };
  const target = { sink, terminal: true, coloured: false, columns: () => 160, rows: () => 30 };
  const files = new SessionStore(hostPath(scratch())).create({
    source: hostPath("/code/todo"),
    baseCommit: commitId(oid("a")),
  });
  files.updateCheckpoint({ tokens: 700, cost: 0.5 });
  const { caps } = loopSettings("", {});
  const watch = forPerson(new Output(target, target), { files, caps });
  await soon(async () => text).toContain("tokens 700 (0 % of 2,000,000) · cost $0.5000");
  watch.usedSoFar({ ...noUsage(), total_tokens: 1_900, cached_tokens: 1_000, cost: 0.75 });
  await soon(async () => text).toContain("tokens 1,000 (0 % of 2,000,000) · cost $0.7500 · 1,000 cached");
  for (const event of logOf(["model_call", modelCall("T-001", 1, { cached_tokens: 5, cost: 0.25 })]))
    watch.heard(event);
  await soon(async () => text).toContain("tokens 1,106 (0 % of 2,000,000) · cost $1.0000 · 1,005 cached");
  await watch.end(new AbortController().signal);
});
