import { expect, test } from "vitest";
import { type Proof, proven } from "../../../../runner/hands/docker/container/proof.js";
import { ResidentRefusal } from "../../../../runner/hands/pipe/channel-errors.js";

test("a container whose runtime starts no program is an infrastructure failure, not a bug", async () => {
  const container = { call: () => Promise.reject(new ResidentRefusal("io", "git could not be started")) };
  const proof = { view: { role: "work" }, probe: [] } as unknown as Proof;
  await expect(proven(container, proof, new AbortController().signal)).rejects.toMatchObject({
    code: "infra",
    message: "the work container could not prove its isolation: git could not be started",
  });
});
