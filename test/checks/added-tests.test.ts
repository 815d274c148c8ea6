import { expect, test } from "vitest";
import { addedTests } from "../../runner/checks/added-tests.js";
import type { Change } from "../../runner/hands/ports/clerk.js";

function change(path: string, status: Change["status"] = "added", mode = "100644"): Change {
  return { path, status, mode, oid: "a".repeat(40), oldOid: "0".repeat(40) };
}

test("added tests are the test files a task added or changed, except staged ones, deleted ones and links", () => {
  const changes = [
    change("tests/test_mine.py"),
    change("pkg/calc_test.py", "modified"),
    change("tests/test_t001_it.py", "modified"),
    change("tests/test_gone.py", "deleted"),
    change("old/test_mine.py", "deleted"),
    change("tests/test_link.py", "added", "120000"),
    change("tests/helpers.py"),
    change("test_data/input.txt"),
    change("latest.py"),
  ];
  const staged = [{ path: "tests/test_t001_it.py", source: "" }];
  expect(addedTests(changes, staged)).toEqual({
    added: ["tests/test_mine.py", "pkg/calc_test.py"],
    changed: ["pkg/calc_test.py", "old/test_mine.py"],
  });
});
