import type { TreeId } from "../../../../base/ids.js";
import { checkRequests } from "../../../pipe/wire/check.js";
import type { RuffRules } from "../../../ports/checks/ruff.js";
import { containerPaths } from "../../../ports/container-paths.js";
import { pinnedRules, rulesOf, rulesWithout } from "../../ruff-rules.js";
import type { WarmCheck } from "../containers/pool.js";
import { type LintRun, lintWorkspace } from "./lint.js";

interface RulesRequest extends Omit<LintRun, "rules"> {
  readonly base: TreeId;
  /** puts a tree into /workspace */
  readonly fresh: (tree: TreeId) => Promise<void>;
}

/** Finds out how to call ruff for trees that descend from a base; a configuration must be one that ruff accepts. */
export async function askForRules(check: WarmCheck, { base, fresh, ...run }: RulesRequest): Promise<RuffRules> {
  const payload = { repo: containerPaths.repo, base };
  const configuration = await check.zygote.ask(checkRequests.ruff_rules, { payload, input: [] }, run.signal);
  const rules = rulesOf(configuration);
  if (rules === pinnedRules) return rules;
  await fresh(base);
  const { problem } = await lintWorkspace(check, { ...run, rules });
  return problem === "" ? rules : rulesWithout(configuration, problem);
}
