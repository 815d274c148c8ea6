import { expect, test } from "vitest";
import { z } from "zod";
import { ResidentRefusal } from "../../../../../runner/hands/pipe/channel.js";
import type { RefusalCode } from "../../../../../runner/hands/pipe/wire/protocol.js";
import { HandsLost } from "../../../../../runner/hands/ports/hands.js";
import { type CheckSandbox, Zygote } from "../../../../../runner/hands/roles/check/containers/zygote.js";

const { signal } = new AbortController();

function refusing(code: RefusalCode): Zygote {
  const container: CheckSandbox = {
    isLost: false,
    call: () => Promise.reject(new ResidentRefusal(code, "Too many open files.")),
    [Symbol.asyncDispose]: async () => {},
  };
  return new Zygote(container, {});
}

const request = { do: "pytest", payload: z.object({}), input: z.null(), report: z.null() };
const run = (zygote: Zygote) => zygote.run(request, { payload: {}, input: null, timeoutMs: 1_000 }, signal);

test.each(["io", "zygote_lost"] as const)(
  "a resident that could not run the tests (%s) makes its container useless",
  async (code) => {
    await expect(run(refusing(code))).rejects.toThrow(HandsLost);
    await expect(refusing(code).start(signal)).rejects.toThrow(HandsLost);
  },
);

test("a wrong request is a bug, and stays one", async () => {
  await expect(run(refusing("usage"))).rejects.toThrow(ResidentRefusal);
});
