import type { PlannedItem } from "./state.js";

/** Whether two items may change the same file: paths that are equal, or one within the other. */
export function overlapping(one: PlannedItem, other: PlannedItem): boolean {
  return one.files.some((path) => other.files.some((each) => isWithin(path, each) || isWithin(each, path)));
}

function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [plain(path), plain(folder)];
  return inner === outer || inner.startsWith(`${outer}/`);
}

function plain(path: string): string {
  return path
    .replace(/^(\.\/)+/, "")
    .replace(/\/+$/, "")
    .toLowerCase();
}
