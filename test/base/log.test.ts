import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LogFile } from "../../runner/base/log.js";
import { scratch } from "../helpers/scratch.js";

it("a log masks keys, and says nothing when it cannot be written", () => {
  const folder = scratch();
  {
    using file = new LogFile(join(folder, "tilth.log"), (text) => text.replaceAll("sk-secret", "***"));
    file.log.info({ header: "sk-secret" }, "asked with sk-secret");
  }
  const line = JSON.parse(readFileSync(join(folder, "tilth.log"), "utf8"));
  expect(line).toMatchObject({ header: "***", msg: "asked with ***" });

  mkdirSync(join(folder, "other"));
  symlinkSync("/dev/full", join(folder, "other/tilth.log"));
  using broken = new LogFile(join(folder, "other/tilth.log"), (text) => text);
  broken.log.error("nobody hears this");
});
