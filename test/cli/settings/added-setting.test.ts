import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { template } from "../../../cli/commands/init.js";
import { valuesIn } from "../../../cli/settings/in-force.js";
import { readRawSettings } from "../../../cli/settings/settings.js";
import { TilthError } from "../../../runner/base/errors.js";
import { defaultsOf, setting } from "../../../runner/settings/setting.js";
import { settingsTable } from "../../../runner/settings/table.js";
import { whole } from "../../../runner/settings/values.js";
import { scratch, thrownBy } from "../../helpers/scratch.js";

const entries = {
  ...settingsTable,
  gauge: { width: setting("TILTH_GAUGE_WIDTH", "how wide the gauge is", { is: whole(3), fallback: "7" }) },
  note: setting("TILTH_NOTE", "what is noted", { is: whole(1), secret: true, aliases: ["TILTH_OLD_NOTE"] }),
};

function read(env: Record<string, string>, file = "") {
  const home = scratch();
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, ".env"), file);
  const raw = readRawSettings({ ...env, TILTH_HOME: home }, entries);
  return { raw, values: valuesIn(entries, raw.inForce) };
}

describe("a setting that is added as one entry", () => {
  test("is looked up in the environment, then in the file, by its name and its aliases", () => {
    expect(read({}).values.gauge.width).toBe(7);
    expect(read({}, "TILTH_GAUGE_WIDTH=8\n").values.gauge.width).toBe(8);
    expect(read({ TILTH_GAUGE_WIDTH: "9" }, "TILTH_GAUGE_WIDTH=8\n").values.gauge.width).toBe(9);
    expect(read({}, "TILTH_OLD_NOTE=5\n").values.note).toBe(5);
    expect(read({}).values.note).toBeNull();
  });

  test("is known in the file, and a similar name is reported as unknown", () => {
    expect(read({}, "TILTH_GAUGE_WIDTH=8\nTILTH_GAUGE=1\n").raw.unknown).toEqual(["TILTH_GAUGE"]);
  });

  test("is checked, and refused with the place of a malformed value", () => {
    const error = thrownBy(() => read({ TILTH_GAUGE_WIDTH: "2" }));
    expect(error).toBeInstanceOf(TilthError);
    expect(error).toMatchObject({
      message: 'TILTH_GAUGE_WIDTH must be a whole number of at least 3 (it is "2")',
      hint: "correct TILTH_GAUGE_WIDTH in the environment",
    });
  });

  test("is listed by tilth config, and stands in the file that tilth init writes", () => {
    const shown = read({ TILTH_NOTE: "4" }).raw.inForce.slice(-2);
    expect(shown.map(({ setting, value, origin }) => [setting.name, value, origin, setting.secret])).toEqual([
      ["TILTH_GAUGE_WIDTH", "7", "default", false],
      ["TILTH_NOTE", "4", "environment", true],
    ]);
    expect(template(entries)).toContain("\n# how wide the gauge is\n# TILTH_GAUGE_WIDTH=7\n\n# what is noted\n");
  });

  test("has a value of the type that its entry says", () => {
    const { values } = read({});
    expectTypeOf(values.gauge.width).toEqualTypeOf<number>();
    expectTypeOf(values.note).toEqualTypeOf<number | null>();
    expectTypeOf(values.suite.mode).toEqualTypeOf<"hold" | "tell" | "off">();
    // @ts-expect-error a value that no entry declares is refused when the program is compiled
    expect(values.gauge.height).toBeUndefined();
    expect(defaultsOf(entries).gauge).toEqual({ width: 7 });
  });
});
