import type { ToolLooks } from "../../../../runner/tools/tool/look.js";
import type { Item, LoggedEvent } from "../log/item.js";
import type { Log } from "../log/log.js";
import type { Receipt } from "../log/tallies.js";
import { type Block, framed } from "./block.js";
import * as checks from "./checks.js";
import * as commits from "./commits.js";
import * as model from "./model.js";
import * as session from "./session.js";
import * as tools from "./tools.js";
import * as verdicts from "./verdicts.js";

interface BlockContext {
  /** of the task that the block's commit ends */
  readonly receipt: Receipt | null;
  readonly tools: ToolLooks;
}

type Renderer = (events: readonly LoggedEvent[], context: BlockContext) => Block;

const renderers: Readonly<Record<string, Renderer>> = {
  session_start: session.sessionStart,
  session_prepared: session.prepared,
  session_resume: session.resumed,
  isolation_receipt: session.receipt,
  lock_taken_over: session.takenOver,
  context_reset: session.taskBegins,
  hands_lost: session.lost,
  hands_restarted: session.restarted,
  egress: session.egress,
  environment: session.environment,
  left_behind: session.leftBehind,
  torn_tail: session.tornTail,
  unreadable: session.unreadable,
  stop: session.stopped,
  model_call: model.modelCall,
  prompt_assembled: model.prompt,
  memory_load: model.prompt,
  empty_model_response: model.emptyReply,
  model_retry: model.retry,
  limit_wait: model.limitWait,
  parameter_left_out: model.leftOut,
  context_folded: model.foldedContext,
  tool_call: tools.toolCall,
  tool_result: tools.strayResult,
  calls_not_run: tools.callsNotRun,
  hook_run: tools.strayHook,
  pre_tool_block: tools.strayHook,
  red_check: checks.redCheck,
  seed_test_not_red: checks.notRed,
  check_run: checks.checkRun,
  counter_check: checks.counterCheck,
  base_suite: checks.baseSuite,
  suite_run: checks.suiteRun,
  evaluator_verdict: verdicts.verdict,
  evaluator_parse_error: verdicts.unread,
  case_parse_error: verdicts.unread,
  ledger_appended: verdicts.strayLedger,
  seed_committed: commits.commit,
  commit_prepared: commits.commit,
  commit: commits.commit,
  task_done: commits.taskDone,
  task_failed: commits.taskFailed,
  proposed_learnings: commits.learning,
};

export function renderItem(log: Log, item: Item): HTMLElement {
  const events = log.eventsOf(item);
  const type = events[0]?.type ?? "";
  const render = Object.hasOwn(renderers, type) ? renderers[type] : undefined;
  const context = { receipt: log.tallies.receipts.get(item) ?? null, tools: log.tools };
  return framed((render ?? model.generic)(events, context), item, events);
}
