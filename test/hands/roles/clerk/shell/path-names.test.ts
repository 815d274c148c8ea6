import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesFromPath, pathFromBytes } from "../../../../../runner/hands/roles/clerk/shell/path-names.js";

test("every path of git can be restored from its string, and no two share one", () => {
  const names = fc.uint8Array({ minLength: 1, maxLength: 24 }).filter((bytes) => !bytes.includes(0));
  fc.assert(
    fc.property(names, (bytes) => {
      expect(bytesFromPath(pathFromBytes(bytes))).toEqual(Buffer.from(bytes));
    }),
  );
});

test("names in UTF-8 stay as they are", () => {
  expect(pathFromBytes(Buffer.from("tests/é\n.py"))).toBe("tests/é\n.py");
  expect(pathFromBytes(Buffer.from("caf\xe9.txt", "latin1"))).toBe('"caf\\351.txt"');
  expect(pathFromBytes(Buffer.from('"a"'))).toBe('"\\042a\\042"');
});
