import { bash, edit, type Step, submit, write } from "../script/steps.js";

const inPlace = `    path.write_text(json.dumps({"items": items}, ensure_ascii=False, indent=2), encoding="utf-8")
`;
const renamed = `    text = json.dumps({"items": items}, ensure_ascii=False, indent=2)
    beside = path.with_name(path.name + ".new")
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
`;

const met = ["todo/storage.py:save", "todo/storage.py:save", "todo/__main__.py:run", "todo/__main__.py:run"];

const seedTest = "python -m pytest -q tests/test_t003_keep_in_a_file.py";
const tryOut = "TODO_FILE=/tmp/demo.json python -m todo add try it out && cat /tmp/demo.json";

/** Passes every test without meeting a criterion, which the evaluator notices. */
export const keepInAFile: readonly Step[] = [
  { calls: () => [["read_file", { path: "todo/todo_list.py" }]] },
  { seen: /class TodoList/, calls: () => [["grep", { pattern: "import|path", path_glob: "tests/test_t003_*.py" }]] },
  { calls: () => [["read_file", { path: "todo/cli.py" }]] },
  { calls: () => [bash(seedTest)] },
  { seen: /No module named/, calls: () => [write("todo/storage.py", "T-003/todo/storage-in-place.py")] },
  { calls: () => [write("todo/__main__.py", "T-003/todo/__main__.py")] },
  { calls: () => [bash(seedTest)] },
  { seen: /passed/, calls: () => [bash(tryOut)] },
  {
    seen: /added 1: try it out/,
    calls: () => [submit({ summary: "Lists are kept in a JSON file, and python -m todo works on it.", met })],
  },
  {
    says: "A save must not be able to leave half a file.",
    seen: /acceptance_gap/,
    calls: () => [edit("todo/storage.py", "import json\n", "import json\nimport os\n")],
  },
  { calls: () => [edit("todo/storage.py", inPlace, renamed)] },
  { calls: () => [bash(seedTest)] },
  { seen: /passed/, calls: () => [bash(tryOut)] },
  { seen: /"text": "try it out"/, calls: () => [bash("ls -a /tmp && ruff check todo")] },
  { seen: /demo\.json/, calls: () => [["read_file", { path: "todo/storage.py" }]] },
  {
    calls: () => [
      bash("python -m pytest -q --ignore=tests/test_t004_priorities.py --ignore=tests/test_t005_export.py"),
    ],
  },
  {
    seen: /passed/,
    calls: () => [
      submit({
        summary: "Lists are kept in a JSON file that is replaced whole, and python -m todo works on it.",
        met,
        uncertainties: ["The folder itself is not synced, so a power cut may bring back the old list."],
      }),
    ],
  },
];
