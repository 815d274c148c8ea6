import { bash, edit, type Step, submit, write } from "../script/steps.js";

const imports = "import sys\n";
const moreImports = "import sys\n\nfrom todo.export import as_csv, as_markdown\n";
const table = 'COMMANDS = {"add": add, "done": done, "list": show}\n';
const command = `EXPORTS = {(): as_markdown, ("--csv",): as_csv}


def export(words, todos):
    render = EXPORTS.get(tuple(words))
    if render is None:
        print("usage: todo export [--csv]", file=sys.stderr)
        return 2
    print(render(todos), end="")
    return 0


COMMANDS = {"add": add, "done": done, "export": export, "list": show}
`;

const todo = "TODO_FILE=/tmp/demo.json python -m todo";

/** Writes one import too many, so that ruff's finding comes back with the write's result. */
export const exporting: readonly Step[] = [
  { calls: () => [["grep", { pattern: "^def ", path_glob: "todo/*.py" }]] },
  { seen: /todo\/cli\.py:\d+: def show/, calls: () => [["read_file", { path: "todo/todo_list.py" }]] },
  { calls: () => [["read_file", { path: "tests/test_t005_export.py" }]] },
  { calls: () => [write("todo/export.py", "T-005/todo/export.py")] },
  { seen: /F401/, calls: () => [edit("todo/export.py", "import io\nimport json\n", "import io\n")] },
  { calls: () => [edit("todo/cli.py", table, command), edit("todo/cli.py", imports, moreImports)] },
  { calls: () => [bash("python -m pytest -q tests/test_t005_export.py")] },
  {
    seen: /passed/,
    says: "Once as a person would use it.",
    calls: () => [bash(`${todo} add sweep && ${todo} done 1 && ${todo} export`)],
  },
  { seen: /sweep/, calls: () => [bash(`${todo} export --csv`)] },
  { seen: /sweep/, calls: () => [bash("python -m pytest -q")] },
  { seen: /passed/, calls: () => [bash("git diff --stat")] },
  { seen: /cli\.py/, calls: () => [bash("ruff check todo")] },
  {
    seen: /All checks passed/,
    calls: () => [
      submit({
        summary: "A command that exports the list as Markdown or CSV.",
        met: ["todo/export.py:as_markdown", "todo/export.py:as_csv", "todo/cli.py:export"],
      }),
    ],
  },
];
