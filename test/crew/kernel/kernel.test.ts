import { expect, test } from "vitest";
import { CrewAtWork, planned } from "./crew-at-work.js";

test("an item goes from the plan to its end, and the PM is asked only to refine", () => {
  const crew = new CrewAtWork([planned("DEV-1")]);
  expect(crew.item("DEV-1")).toMatchObject({ status: "assigned", holder: "developer" });
  crew.make("developer", "DEV-1");
  expect(crew.item("DEV-1").status).toBe("awaiting_qa");
  expect(crew.judge("DEV-1", "PASSED")).toBeNull();
  expect(crew.item("DEV-1").status).toBe("prd_refinement");
  expect(crew.refine("DEV-1")).toBeNull();
  expect(crew.state).toMatchObject({ status: "completed", iteration: 1, stats: { completed: 1, failed: 0 } });
  const steps = crew.applied.flatMap(({ asked, outcome }) =>
    outcome.to === undefined ? [] : `${outcome.from} → ${outcome.to} by ${asked.actor}${asked.auto ? ", auto" : ""}`,
  );
  expect(steps).toEqual([
    "pending → assigned by pm, auto",
    "assigned → in_progress by developer, auto",
    "in_progress → awaiting_qa by pm, auto",
    "awaiting_qa → passed by qa",
    "passed → prd_refinement by pm, auto",
    "prd_refinement → task_ready by pm",
    "task_ready → skill_research by pm, auto",
    "skill_research → completed by pm, auto",
  ]);
  expect(crew.refusals).toEqual([]);
});

test("what QA refuses comes back with its bugs, and is blocked when its attempts are spent", () => {
  const crew = new CrewAtWork([planned("DEV-1")], { attempts: 2 });
  crew.make("developer", "DEV-1");
  crew.judge("DEV-1", "FAILED");
  expect(crew.item("DEV-1")).toMatchObject({
    status: "assigned",
    retryCount: 1,
    rounds: [[{ issue: "it does not work" }]],
  });
  expect(crew.state.queues.developer.at(-1)).toMatchObject({
    type: "task_assign",
    payload: { bugs: [{ severity: "high" }] },
  });
  crew.make("developer", "DEV-1", "another tree");
  crew.judge("DEV-1", "FAILED");
  expect(crew.item("DEV-1")).toMatchObject({ status: "blocked", retryCount: 2 });
  expect(crew.state).toMatchObject({ status: "running", iteration: 2, stats: { failed: 1 } });
  expect(crew.ask("person", { intent: "unblock", item: "DEV-1" })).toBeNull();
  expect(crew.item("DEV-1")).toMatchObject({ status: "assigned", retryCount: 0, pickups: 0 });
});
