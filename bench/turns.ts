import type { ScriptedCall, SpokenTurn } from "../runner/demo/script/script.js";

export const nothingLearned: SpokenTurn = { quiet: '{"propose": "no"}' };

export function calls(...made: readonly ScriptedCall[]): SpokenTurn {
  return { calls: made };
}

export function submitted(pointer: string): SpokenTurn {
  const coverage = [{ criterion: "1", addressed_by: pointer }];
  return calls(["submit_case", { summary: "Done as the criterion asks.", ac_coverage: coverage }]);
}

export function verdict(accepts: boolean): SpokenTurn {
  const said = accepts
    ? { verdict: "accept", rejection_category: null, next_step: null }
    : { verdict: "reject", rejection_category: "acceptance_gap", next_step: "Do it again." };
  return calls(["submit_verdict", { ...said, concern: "What it says.", evidence: [] }]);
}
