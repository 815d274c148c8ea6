import { type Block, framed } from "./block.js";
import * as judged from "./blocks-judged.js";
import * as model from "./blocks-model.js";
import * as session from "./blocks-session.js";
import * as tools from "./blocks-tools.js";
import type { Item, LoggedEvent } from "./item.js";
import type { Log } from "./log.js";
import type { Receipt } from "./tallies.js";

type Renderer = (events: readonly LoggedEvent[], receipt: Receipt | null) => Block;

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
  red_check: judged.redCheck,
  seed_test_not_red: judged.notRed,
  check_run: judged.checkRun,
  counter_check: judged.counterCheck,
  base_suite: judged.baseSuite,
  suite_run: judged.suiteRun,
  evaluator_verdict: judged.verdict,
  evaluator_parse_error: judged.unread,
  case_parse_error: judged.unread,
  ledger_appended: judged.strayLedger,
  seed_committed: judged.commit,
  commit_prepared: judged.commit,
  commit: judged.commit,
  task_done: judged.taskDone,
  task_failed: judged.taskFailed,
  proposed_learnings: judged.learning,
};

export function renderItem(log: Log, item: Item): HTMLElement {
  const events = log.eventsOf(item);
  const type = events[0]?.type ?? "";
  const render = Object.hasOwn(renderers, type) ? renderers[type] : undefined;
  return framed((render ?? model.generic)(events, log.tallies.receipts.get(item) ?? null), item, events);
}
