import type { ModelReply, ToolCall } from "../model/port/model-client.js";
import type { Verdict } from "../session/log/events/verdicts.js";
import { submitVerdict, type VerdictInput } from "../tools/submit-verdict.js";
import type { Parsed } from "../tools/tool/arguments.js";
import { isCutOff } from "./reply.js";

const { name } = submitVerdict.definition;
const mostBytes = 16 * 1024;

/** Reads an evaluator's reply. Only a whole reply with exactly one call, and a valid one, counts as a verdict. */
export function parseVerdict(reply: Pick<ModelReply, "message" | "finishReason">): Parsed<Verdict> {
  if (isCutOff(reply))
    return refused(`the reply was cut off or its arguments could not be parsed as JSON, so ${name} was not read`);
  const [call, ...others] = reply.message.calls;
  if (!call) return refused(`there was no call of ${name}; prose is no verdict`);
  if (others.length > 0) return refused(`there were ${others.length + 1} calls; ${name} must be the only one`);
  if (call.name !== name) return refused(`there is no tool ${JSON.stringify(call.name.slice(0, 100))}, only ${name}`);
  return ofCall(call);
}

function ofCall(call: ToolCall): Parsed<Verdict> {
  if (Buffer.byteLength(call.arguments) > mostBytes)
    return refused(`the arguments of ${name} are over ${mostBytes} bytes`);
  const given = submitVerdict.read(call);
  if (!given.ok) return given;
  const problems = contradictionsOf(given.value);
  if (problems.length > 0) return refused(problems.join("\n"));
  return {
    ok: true,
    value: {
      verdict: given.value.verdict,
      rejection_category: given.value.rejection_category ?? null,
      concern: given.value.concern,
      evidence: given.value.evidence,
      next_step: given.value.next_step ?? null,
    },
  };
}

function contradictionsOf({ verdict, rejection_category, next_step }: VerdictInput): readonly string[] {
  const fields = { rejection_category: rejection_category ?? null, next_step: next_step ?? null };
  return Object.entries(fields).flatMap(([field, value]) => {
    if (verdict === "accept" && value !== null) return [`${field}: must be null on accept`];
    if (verdict === "reject" && value === null) return [`${field}: is required on reject`];
    return [];
  });
}

function refused(problem: string): Parsed<Verdict> {
  return { ok: false, problem };
}
