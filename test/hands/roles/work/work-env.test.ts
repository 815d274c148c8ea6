import { expect, test } from "vitest";
import { checkPython } from "../../../../runner/hands/ports/container-paths.js";
import { workEnv } from "../../../../runner/hands/roles/work/work-env.js";

const image = { PATH: "/opt/tilth/venv/bin:/usr/local/bin:/usr/bin:/bin", LANG: "C" };

test("an environment's programs come first, then the image's tools", () => {
  const env = workEnv(image, true);
  expect(env.PATH).toBe("/opt/tilth/env/bin:/opt/tilth/venv/bin:/usr/local/bin:/usr/bin:/bin");
  expect(env.VIRTUAL_ENV).toBe("/opt/tilth/env");
  expect(checkPython(true)).toBe("/opt/tilth/env/bin/python");
});

test("without an environment nothing says that there is one", () => {
  const env = workEnv(image);
  expect(env.PATH).toBe(image.PATH);
  expect(env).not.toHaveProperty("VIRTUAL_ENV");
  expect(checkPython(false)).toBe("/opt/tilth/venv/bin/python");
});
