import { expect, test } from "vitest";
import { type Package, type Ran, sharedEnvironments } from "../helpers/environments.js";

const { environments } = await sharedEnvironments();

const plain = (name: string, version: string, requires: string[] = []): Package => ({
  name,
  version,
  requires,
  files: { [`${name.replace("-", "_")}.py`]: "" },
});

const packages: Package[] = [
  plain("pytest", "6.2.5", ["pluggy<1.0"]),
  plain("pytest", "7.4.4", ["pluggy>=0.12,<2"]),
  plain("pytest", "@pytest@", ["pluggy>=1.6,<2", "packaging>=24"]),
  plain("pytest", "99.0", ["pluggy>=1.6,<2"]),
  plain("pluggy", "0.13.1"),
  plain("pluggy", "1.0.0"),
  plain("pluggy", "1.6.0"),
  plain("packaging", "20.0"),
  plain("packaging", "24.0"),
  plain("some-plugin", "1.0", ["pytest>=3", "demo>=9"]),
];

const names = (made: Ran) => Object.fromEntries(made.result.names ?? []);

test("pytest is a version that a check can run with, whatever the project pins", async () => {
  const texts = [
    "some-plugin",
    "pytest==7.4.4\npluggy==1.0.0",
    "pytest<7",
    "pytest==6.2.5 @pytest-6.2.5@",
    "pytest>50",
    "packaging==20.0",
    "packaging",
  ];
  const ran = await environments(
    packages,
    texts.map((text) => ({
      files: { "requirements.txt": text, "pyproject.toml": '[project]\nname = "demo"\nversion = "1"' },
    })),
  );
  const [pulled, pinned, old, hashed, unborn, judged, usual] = ran.map((one) => ({
    ...names(one),
    said: one.result.said,
  }));
  const image = ran[0]?.result.pytest;
  const standsIn = (version: string) => [
    `pytest ${image} stands in for pytest ${version}, which the project asks for: tilth checks with pytest 7.4 to ${image}.`,
  ];
  expect(pulled).toEqual({
    "some-plugin": "1.0",
    pytest: image,
    pluggy: "1.6.0",
    packaging: "24.0",
    said: ["some-plugin requires demo, which is the project itself and is not installed."],
  });
  expect(pinned).toMatchObject({ pytest: image, pluggy: "1.6.0" });
  expect(old).toMatchObject({ pytest: image, pluggy: "1.6.0", said: standsIn("6.2.5") });
  expect(hashed).toMatchObject({ pytest: image, said: standsIn("6.2.5") });
  expect(unborn).toMatchObject({ pytest: image, said: standsIn("99.0") });
  expect(judged).toMatchObject({
    packaging: "20.0",
    pytest: "7.4.4",
    said: [expect.stringMatching(/^pytest 7\.4\.4 is installed: pytest \S+ needs packaging>=24/)],
  });
  expect(usual).toEqual({ packaging: "24.0", said: [] });
  expect(ran.map(({ result }) => result.pytest)).toEqual([image, image, image, image, image, "7.4.4", image]);
});
