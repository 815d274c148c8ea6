import { bash, edit, type Step, submit, write } from "../script/steps.js";

const commands = `def add(words, todos):
    try:
        item = todos.add(" ".join(words))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"added {item.number}: {item.text}")
    return 0


def show(words, todos):
    items = list(todos)
    for item in items:
        print(f"{item.number} [ ] {item.text}")
    if not items:
        print("nothing to do")
    return 0


COMMANDS = {"add": add, "list": show}
`;

const seedTest = "python -m pytest -q tests/test_t001_add_and_list.py";

/** The plain case: look, see the test fail, write, test, read it again, submit. */
export const addAndList: readonly Step[] = [
  {
    says: "What is there?",
    calls: () => [
      ["glob", { pattern: "**/*.py" }],
      ["grep", { pattern: "COMMANDS" }],
    ],
  },
  {
    seen: /cli\.py/,
    calls: () => [
      ["read_file", { path: "todo/cli.py" }],
      ["read_file", { path: "tests/test_t001_add_and_list.py" }],
    ],
  },
  { seen: /wrong usage|USAGE/, calls: () => [["read_file", { path: "tests/test_usage.py" }]] },
  { calls: () => [bash(seedTest)] },
  { seen: /todo_list/, calls: () => [write("todo/todo_list.py", "T-001/todo/todo_list.py")] },
  { calls: () => [edit("todo/cli.py", "COMMANDS = {}\n", commands)] },
  { calls: () => [bash(seedTest)] },
  {
    seen: /passed/,
    says: "And the tests that were there before.",
    calls: () => [bash("python -m pytest -q tests/test_usage.py")],
  },
  { seen: /passed/, calls: () => [bash("ruff check todo")] },
  { calls: () => [bash("git diff todo/cli.py")] },
  {
    seen: /COMMANDS = \{"add"/,
    calls: () => [
      submit({
        summary: "A list of numbered items, and the commands add and list.",
        met: ["todo/todo_list.py:TodoList.add", "todo/cli.py:add", "todo/cli.py:show"],
      }),
    ],
  },
];
