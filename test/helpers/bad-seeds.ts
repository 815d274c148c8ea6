/** A well-formed task of a seed. */
export function entry(k = 1, over: Record<string, unknown> = {}): Record<string, unknown> {
  const id = `T-${String(k).padStart(3, "0")}`;
  return {
    id,
    title: `Module ${k}`,
    description: "Write it.",
    acceptance_criteria: ["holds"],
    status: "pending",
    ...over,
  };
}

function without(key: string): Record<string, unknown> {
  const { [key]: _, ...rest } = entry();
  return rest;
}

/** Rows of what is wrong, the content of prd.json, and the words that the refusal has to hold. */
export const badEntries: readonly (readonly [what: string, prd: unknown, named: string])[] = [
  ["an object for a list", { tasks: [entry()] }, "a list"],
  ["null", null, "a list"],
  ["strings for tasks", ["T-001"], "object"],
  ["no tasks", [], "empty"],
  ...["T-1", "T-01", "t-001", "T_001", "001", "T-abc", "T-001 ", " T-001", "T-001\n", "T-00\u0661", "", "../T-001"].map(
    (id) => [`the id ${JSON.stringify(id)}`, [entry(1, { id })], JSON.stringify(id)] as const,
  ),
  ["an id with a mark that nobody sees", [entry(1, { id: "T-001\u200b" })], String.raw`(spelled "T-001\u200b")`],
  ["an id with a digit of another script", [entry(1, { id: "T-00\u0661" })], String.raw`(spelled "T-00\u0661")`],
  ["an id of a novel", [entry(1, { id: "x".repeat(1e5) })], `"${"x".repeat(100)}" must be`],
  ["an id that is a number", [entry(1, { id: 1 })], "id"],
  ["no id", [without("id")], "id"],
  ["an id twice", [entry(), entry()], "T-001"],
  ["the same number twice", [entry(), entry(1, { id: "T-0001" })], "T-0001"],
  ["number nought", [entry(0)], "T-000"],
  ["a number that is none any more", [entry(1, { id: `T-${"9".repeat(400)}` })], "T-999"],
  ["a number that the base's tests would not count", [entry(1, { id: "T-1000000000" })], "T-1000000000"],
  ["no title", [without("title")], "title"],
  ["a blank title", [entry(1, { title: " \n" })], "title"],
  ["a title that nobody sees", [entry(1, { title: "\u200b\u2060" })], "title must not be blank"],
  ["a title that is a number", [entry(1, { title: 5 })], "title"],
  ["no description", [without("description")], "description"],
  ["an empty description", [entry(1, { description: "" })], "description"],
  ["no criteria", [without("acceptance_criteria")], "acceptance_criteria"],
  ["an empty list of criteria", [entry(1, { acceptance_criteria: [] })], "acceptance_criteria"],
  ["criteria as text", [entry(1, { acceptance_criteria: "works" })], "acceptance_criteria"],
  ["a number among criteria", [entry(1, { acceptance_criteria: ["works", 3] })], "item 2"],
  ["a description of 5 MB", [entry(1, { description: "x".repeat(5e6) })], "4 MB"],
  ["an empty criterion", [entry(1, { acceptance_criteria: ["works", ""] })], "item 2"],
];

/** Rows of what is wrong, names of test files beside the one task T-001, and the words that the refusal has to hold. */
export const badTests: readonly (readonly [what: string, names: readonly string[], named: string])[] = [
  ["no test", [], "T-001"],
  ["a name outside the pattern", ["test_one.py"], "test_one.py"],
  ["a digit too few", ["test_t01_x.py"], "test_t01_x.py"],
  ["no slug", ["test_t001.py"], "test_t001.py"],
  ["capitals", ["test_t001_X.py"], "test_t001_X.py"],
  ["a dash", ["test_t001_a-b.py"], "test_t001_a-b.py"],
  ["a line break behind the name", ["test_t001_x.py\n"], "test_t001_x.py"],
  ["a letter that looks like another", ["test_t001_\u0430.py"], String.raw`(spelled "test_t001_\u0430.py")`],
  ["a conftest beside", ["test_t001_x.py", "conftest.py"], "conftest.py"],
  ["a path", ["../test_t001_x.py"], "../test_t001_x.py"],
  ["a test for no task", ["test_t001_x.py", "test_t002_x.py"], "T-002"],
  ["a test for a longer number", ["test_t0010_x.py"], "test_t0010_x.py"],
  ["a name too long for any disk", [`test_t001_${"x".repeat(300)}.py`], "100 characters"],
  ["two tests for one task", ["test_t001_x.py", "test_t001_y.py"], "T-001"],
];
