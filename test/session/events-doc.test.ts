import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { renderEventsDoc } from "../../scripts/generate-events-doc.js";

it("docs/events.md says what the schemas say (npm run docs writes it)", () => {
  expect(readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8")).toBe(renderEventsDoc());
});
