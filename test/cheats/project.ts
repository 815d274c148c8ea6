import { exercises, type TaskName } from "./exercises.js";

export type { TaskName };

/** The common project at the beginning: every module of a task is wrong, and everything else is in order. */
const common: Readonly<Record<string, string>> = {
  "README.md": "# shop\n",
  "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef prices():\n    return [1, 2, 3]\n",
  "pyproject.toml":
    '[project]\nname = "shop"\nversion = "1"\n\n[tool.pytest.ini_options]\naddopts = "-q"\nfilterwarnings = ["error"]\n',
  "shop/__init__.py": "",
  "shop/discount.py": "def discount(price, percent):\n    return price - price * percent // 100\n",
  "shop/names.py": "def plural(name):\n    return name + 's'\n",
  "tests/data/rates.json": '{"EUR": 108, "USD": 100}\n',
  "tests/helpers.py": "def same(left, right):\n    assert left == right\n",
  "tests/later.py": "EXPECTED = ['fig', 'pear', 'plum']\n",
  "tests/test_names.py":
    "from shop.names import plural\n\n\ndef test_plural():\n    assert plural('pear') == 'pears'\n",
};

/** The test of a task that is done, which must go on passing. */
export const done = {
  path: "tests/test_t001_discount.py",
  source: "from shop.discount import discount\n\n\ndef test_discount():\n    assert discount(200, 10) == 180\n",
};

export interface Task {
  readonly name: TaskName;
  readonly id: string;
  readonly text: string;
  readonly staged: { readonly path: string; readonly source: string };
}

export const tasks = Object.fromEntries(
  Object.entries(exercises).map(([name, { text, source }], index) => {
    const number = String(index + 2).padStart(3, "0");
    const staged = { path: `tests/test_t${number}_${name}.py`, source };
    return [name, { name, id: `T-${number}`, text, staged }];
  }),
) as Readonly<Record<TaskName, Task>>;

export const allStaged = [done, ...Object.values(tasks).map(({ staged }) => staged)];

/** The project without the tests of its tasks, which a seed brings. */
export const source: Readonly<Record<string, string>> = {
  ...common,
  [done.path]: done.source,
  ...Object.assign({}, ...Object.values(exercises).map(({ path, wrong }) => ({ [path]: wrong }))),
};

export const base: Readonly<Record<string, string>> = {
  ...source,
  ...Object.fromEntries(allStaged.map(({ path, source: text }) => [path, text])),
};

/** The modules that solve the tasks, to stand alone or below something else. */
export const solution = Object.fromEntries(
  Object.entries(exercises).map(([name, { solved }]) => [name, solved]),
) as Readonly<Record<TaskName, string>>;

/** The modules of the tasks as they stand at first. */
export const wrong = Object.fromEntries(
  Object.entries(exercises).map(([name, exercise]) => [name, exercise.wrong]),
) as Readonly<Record<TaskName, string>>;

export function solved(name: TaskName): Readonly<Record<string, string>> {
  return { [exercises[name].path]: exercises[name].solved };
}
