import { bash, edit, type Step, submit } from "../script/steps.js";

const show = 'print(f"{item.number} [ ] {item.text}")\n';
const showMarked = `mark = "x" if item.done else " "
        print(f"{item.number} [{mark}] {item.text}")
`;
const table = 'COMMANDS = {"add": add, "list": show}\n';
const careless = `item = todos.get(int(words[0]))
    item.done = True
`;
const careful = `try:
        item = todos.get(int(words[0]))
    except (KeyError, ValueError):
        print(f"no item {words[0]}", file=sys.stderr)
        return 1
    item.done = True
`;
const done = `def done(words, todos):
    if len(words) != 1:
        print("usage: todo done NUMBER", file=sys.stderr)
        return 2
    ${careless}    print(f"done {item.number}: {item.text}")
    return 0


COMMANDS = {"add": add, "done": done, "list": show}
`;
const lastLine = "        return item\n";
const get = `${lastLine}
    def get(self, number):
        return self._items[number - 1]
`;
const getChecked = `        """The item of that number; KeyError where there is none."""
        if not 1 <= number <= len(self._items):
            raise KeyError(number)
        return self._items[number - 1]
`;

const met = ["todo/cli.py:done", "todo/cli.py:done", "todo/cli.py:done"];

/** Submits without a test run, so that the check finds the bug. */
export const markDone: readonly Step[] = [
  { calls: () => [["read_file", { path: "todo/todo_list.py" }]] },
  { seen: /class TodoList/, calls: () => [["grep", { pattern: "item\\.", path_glob: "todo/*.py" }]] },
  { seen: /todo\/cli\.py/, calls: () => [["read_file", { path: "todo/cli.py" }]] },
  {
    seen: /def show/,
    calls: () => [edit("todo/todo_list.py", "    text: str\n", "    text: str\n    done: bool = False\n")],
  },
  { calls: () => [edit("todo/todo_list.py", lastLine, get)] },
  { calls: () => [edit("todo/cli.py", show, showMarked)] },
  { calls: () => [edit("todo/cli.py", table, done)] },
  { calls: () => [submit({ summary: "A command that marks items as done.", met })] },
  {
    says: "Numbers that are not on the list were forgotten.",
    seen: /test_t002/,
    calls: () => [["grep", { pattern: "raises|== 1|no item", path_glob: "tests/test_t002_done.py" }]],
  },
  { calls: () => [edit("todo/todo_list.py", "        return self._items[number - 1]\n", getChecked)] },
  { calls: () => [edit("todo/cli.py", careless, careful)] },
  { calls: () => [bash("python -m pytest -q tests/test_t002_done.py")] },
  { seen: /passed/, calls: () => [bash("python -m pytest -q tests/test_t001_add_and_list.py tests/test_usage.py")] },
  { seen: /passed/, calls: () => [bash("ruff check todo")] },
  { calls: () => [bash("git diff todo/cli.py")] },
  {
    seen: /no item/,
    calls: () => [
      submit({ summary: "A command that marks items as done; a number that is not there is refused.", met }),
    ],
  },
];
