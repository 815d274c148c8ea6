import { expect, test } from "vitest";
import { Output } from "../../../cli/output/output.js";
import { forNobody, forPerson, forScript } from "../../../cli/watch/watch.js";
import { commitId, hostPath } from "../../../runner/base/ids.js";
import { SessionStore } from "../../../runner/index.js";
import { loopSettings } from "../../helpers/loop-settings.js";
import { scratch } from "../../helpers/scratch.js";
import { soon } from "../../helpers/soon.js";
import { oid } from "../../session/event-fixtures.js";
import { HeardOutput } from "../heard-output.js";

const never = new AbortController().signal;
const { caps } = loopSettings("", {});

function watched() {
  const place = { source: hostPath("/code/todo"), baseCommit: commitId(oid("a")) };
  return { files: new SessionStore(hostPath(scratch())).create(place), caps };
}

test("a terminal shows how much of a reply has come, and updates it", async () => {
  let text = "";
  const sink = async (bytes: Buffer) => {
    text += bytes.toString();
  };
  const target = { sink, terminal: true, coloured: false, columns: () => 160, rows: () => 30 };
  const watch = forPerson(new Output(target, target), watched());
  watch.arriving(120);
  await soon(async () => text).toContain("· 120 characters so far");
  watch.arriving(4_321);
  await soon(async () => text).toContain("· 4,321 characters so far");
  await watch.end(never);
});

test("plain lines, JSON and quiet mode do not mention a partial reply", async () => {
  for (const watchOf of [forPerson, forScript, () => forNobody]) {
    const heard = new HeardOutput();
    const watch = watchOf(heard.output, watched());
    watch.arriving(120);
    await watch.end(never);
    expect([await heard.lines("results"), await heard.lines("progress")]).toEqual([[], []]);
  }
});
