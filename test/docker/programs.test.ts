import { expect, test } from "vitest";
import { ResidentContainer } from "../helpers/resident-container.js";

const ruff = "/opt/tilth/venv/bin/ruff check --isolated --no-cache --select E4,E7,E9,F";
const twice = "def lines():\\n    return one()\\n\\n\\ndef one():\\n    return 1\\n\\n\\ndef one():\\n    return 2\\n";

test("the programs in the containers pass the rules that seeds are held to, so none defines a name twice", async () => {
  await using box = await ResidentContainer.start();
  const naive = await box.bash(`printf '${twice}' > twice.py && ${ruff} twice.py`);
  expect(naive).toMatchObject({ exit: 1, text: expect.stringContaining("F811") });
  const ours = await box.bash(`${ruff} /opt/tilth/*.py /opt/tilth/{check,environment,oneshot,resident}`);
  expect(ours, ours.text).toMatchObject({ exit: 0 });
});
