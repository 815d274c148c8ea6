import type { Message, ModelRequest } from "../../runner/model/port/model-client.js";
import type { TilthEvent } from "../../runner/session/log/events.js";

/** Faults of a request's history: a strict provider would refuse it, or a call was not answered exactly once. */
export function faultsOfHistory({ messages }: ModelRequest): readonly string[] {
  const faults: string[] = [];
  if (messages[0]?.role !== "system" || messages[1]?.role !== "user") faults.push("it does not open as it must");
  const seen = new Set<string>();
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (open.shift() !== message.callId) faults.push(`an answer to ${message.callId} out of its place`);
      continue;
    }
    for (const id of open) faults.push(`${id} was not answered`);
    open = idsOf(message);
    for (const id of open) if (seen.has(id)) faults.push(`${id} is used twice`);
    for (const id of open) seen.add(id);
  }
  return [...faults, ...open.map((id) => `${id} was not answered`)];
}

function idsOf(message: Message): string[] {
  return message.role === "assistant" ? message.calls.map(({ id }) => id) : [];
}

/** Checks rules that every log of a run keeps, together with the runs before it, however they went. */
export function faultsOfLog(ofRun: readonly TilthEvent[], before: readonly TilthEvent[] = []): readonly string[] {
  const all = [...before, ...ofRun];
  return [...committedUnjudged(all), ...orderFaults(all), ...committedTwice(all), ...stopFaults(ofRun)];
}

/** The tree that was checked, evaluated and committed must be the same. */
function committedUnjudged(events: readonly TilthEvent[]): readonly string[] {
  return events.flatMap((event, at) => {
    if (event.type !== "commit_prepared" && event.type !== "commit") return [];
    const { tree, task_id } = event.payload;
    const before = events.slice(0, at);
    const checked = before.some(
      ({ type, payload }) =>
        type === "check_run" && payload.task_id === task_id && payload.tree === tree && payload.passed,
    );
    const accepted = before.some(
      ({ type, payload }) =>
        type === "evaluator_verdict" &&
        payload.task_id === task_id &&
        payload.tree === tree &&
        payload.verdict.verdict === "accept",
    );
    return [
      ...(checked ? [] : [`${event.type} of ${tree} without a passed check of it`]),
      ...(accepted ? [] : [`${event.type} of ${tree} without an accept of it`]),
    ];
  });
}

function orderFaults(events: readonly TilthEvent[]): readonly string[] {
  const prepared = new Set<string>();
  const committed = new Set<string>();
  return events.flatMap(({ type, payload }) => {
    if (type === "commit_prepared") prepared.add(payload.sha);
    if (type === "commit" && !prepared.has(payload.sha)) return [`${payload.sha} was committed unprepared`];
    if (type === "commit") committed.add(payload.sha);
    if (type === "task_done" && !committed.has(payload.sha)) return [`${payload.task_id} is done without a commit`];
    return [];
  });
}

function committedTwice(events: readonly TilthEvent[]): readonly string[] {
  const tasks = events.flatMap(({ type, payload }) => (type === "commit" ? [payload.task_id] : []));
  return new Set(tasks).size === tasks.length ? [] : ["a task was committed twice"];
}

function stopFaults(events: readonly TilthEvent[]): readonly string[] {
  const stops = events.filter(({ type }) => type === "stop").length;
  return stops > 1 || (stops === 1 && events.at(-1)?.type !== "stop") ? ["stop is not the one last event"] : [];
}
