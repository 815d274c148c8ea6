import type { CommitId, TreeId } from "../support/ids.js";

/**
 * Everything that touches the bytes of a repository. One `Hands` serves one session and one worktree.
 *
 * Contract of every method: it takes a signal and fails with Interrupted when that aborts, after what it started is
 * dead. It fails with HandsLost when the container went away under the call while the engine still answers, and with
 * TilthError `infra` when the engine itself fails or does not answer. What a model or a repository did wrong is a value,
 * never an error.
 */
export interface Hands extends AsyncDisposable {
  readonly image: HandsImage;
  readonly clerk: Clerk;
  readonly work: Work;
  readonly checks: Checks;
  /** Removes the session's repository volume as well; the containers are gone when this or disposal returns. */
  discard(): Promise<void>;
}

export interface HandsImage {
  /** the engine's id, `sha256:…` */
  readonly id: string;
  readonly recipe: string;
  readonly runtime: string;
  /** one line each, for prompts: Python version and tools */
  readonly tools: readonly string[];
}

export class HandsLost extends Error {
  readonly role: string;
  constructor(role: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "HandsLost";
    this.role = role;
  }
}

/** A tool's answer: what it found, or the sentence that says why it could not. */
export type Answer<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly problem: string };

// --- work ------------------------------------------------------------------------------------------------------------

export interface ReceiptItem {
  readonly name: string;
  readonly passed: boolean;
  readonly seen: string;
}

export interface Receipt {
  readonly passed: boolean;
  readonly items: readonly ReceiptItem[];
  /** limits the engine says it discards */
  readonly leftOut: readonly string[];
}

export interface CommandResult {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** stdout and stderr as they came, head and tail kept */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** bytes between head and tail that were counted and dropped */
  readonly omitted: number;
  /** processes that outlived the command and had to be killed */
  readonly killed: readonly string[];
  readonly ms: number;
}

/** Where the worker's tools run. Hostile from the first command; produces no verdict and no commit. */
export interface Work {
  /** It went away since it was started; every call then fails with HandsLost until `start` has made it anew. */
  readonly isLost: boolean;
  /** Starts the container and proves its isolation; a second call starts a lost one again. */
  start(signal: AbortSignal): Promise<Receipt>;
  /** Wipes /tmp, home, shared memory and scratch git, and points scratch HEAD and index at `commit`. */
  beginTask(commit: CommitId, signal: AbortSignal): Promise<void>;
  bash(command: string, timeoutMs: number, signal: AbortSignal): Promise<CommandResult>;
  readFile(
    request: { path: string; offset?: number; limit?: number; maxBytes: number },
    signal: AbortSignal,
  ): Promise<Answer<{ content: Uint8Array; size: number; firstLine: number; lastLine: number; truncated: boolean }>>;
  /** `ruff`: findings of the post_edit hook when the path is a `.py`, asked for in the same round trip. */
  writeFile(
    request: { path: string; content: Uint8Array; lint: LintRequest | null },
    signal: AbortSignal,
  ): Promise<Answer<Edited>>;
  editFile(
    request: { path: string; oldString: string; newString: string; maxBytes: number; lint: LintRequest | null },
    signal: AbortSignal,
  ): Promise<Answer<Edited>>;
  /** Paths relative to the root, sorted; dependency and cache folders and `.git` skipped. */
  glob(
    request: { pattern: string; limit: number },
    signal: AbortSignal,
  ): Promise<Answer<{ paths: readonly string[]; truncated: boolean }>>;
  /** `path:line: text` lines, sorted by path; hidden files in, ignore files not obeyed, folders skipped as by glob. */
  grep(
    request: { pattern: string; pathGlob: string | null; limit: number },
    signal: AbortSignal,
  ): Promise<Answer<{ lines: readonly string[]; truncated: boolean }>>;
}

export interface LintRequest {
  /** arguments of `ruff check` in force for this session, without the path */
  readonly args: readonly string[];
  readonly timeoutMs: number;
}

export interface Edited {
  readonly bytes: number;
  /** repo-relative path of what was written */
  readonly path: string;
  /** what ruff said, null when nothing was asked or it is no `.py`; "" when clean */
  readonly lint: string | null;
  readonly lintMs: number;
}

// --- clerk -----------------------------------------------------------------------------------------------------------

export interface Change {
  readonly status: "added" | "modified" | "deleted" | "type_changed";
  readonly path: string;
  readonly mode: string;
  readonly oid: string;
  readonly oldOid: string;
}

export type Snapshot =
  | {
      readonly ok: true;
      readonly tree: TreeId;
      readonly changes: readonly Change[];
      /** untracked files that ignore rules or the built-in list left out, new since the last snapshot */
      readonly leftOut: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly { readonly path: string; readonly why: string }[] };

export interface Diff {
  /** text forced, renames not followed, binaries as one line with path, size and hash; cut at maxBytes, the cut marked */
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
}

export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly oid: string;
  readonly size: number;
}

export interface NewCommit {
  readonly tree: TreeId;
  readonly parent: CommitId;
  readonly message: string;
  readonly author: Person;
  readonly committer: Person;
  readonly date: Date;
}

export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Runs git and nothing else, on the session's private repository, and never while a process of the worker lives. */
export interface Clerk {
  /** Starts the container, clears stale locks; true when the repository already holds `commit` whole. */
  open(commit: CommitId, signal: AbortSignal): Promise<boolean>;
  /** Takes in a pack made by the host; refuses with TilthError `usage` what breaks the caps or does not check out. */
  takePack(pack: AsyncIterable<Uint8Array>, tip: CommitId, signal: AbortSignal): Promise<void>;
  /** Makes the worktree hold exactly the files of `commit`; only for a worktree that is empty or to be overwritten. */
  materialise(commit: CommitId, signal: AbortSignal): Promise<void>;
  /** Puts `files` into `tree` and gives the new tree; used for seeds. */
  treeWith(tree: TreeId, files: readonly { path: string; content: Uint8Array }[], signal: AbortSignal): Promise<TreeId>;
  treeOf(commit: CommitId, signal: AbortSignal): Promise<TreeId>;
  /** Makes tree T of the worktree as DESIGN §2 "on submit" has it, the strict check included. */
  snapshot(last: TreeId, signal: AbortSignal): Promise<Snapshot>;
  changes(from: TreeId, to: TreeId, signal: AbortSignal): Promise<readonly Change[]>;
  diff(from: TreeId, to: TreeId, maxBytes: number, signal: AbortSignal): Promise<Diff>;
  list(tree: TreeId, signal: AbortSignal): Promise<readonly TreeEntry[]>;
  /** Null when there is no regular file at `path`. */
  blob(tree: TreeId, path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | null>;
  commit(commit: NewCommit, signal: AbortSignal): Promise<CommitId>;
  /** The objects of `commit` that `base` does not have. */
  pack(commit: CommitId, base: CommitId, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Best effort and bounded: the worktree against `last` as a patch, what could not be read listed at its top. */
  partialPatch(last: TreeId, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * What a stopped session may leave: strips setuid and setgid bits, devices, FIFOs, sockets, renames config and hooks
   * of anything git takes for a repository (`renamed`), and lists files that execute on ordinary actions (`executes`).
   */
  defuse(last: TreeId, signal: AbortSignal): Promise<{ renamed: readonly string[]; executes: readonly string[] }>;
  /** Empties the worktree, `.git` excepted, so that the host may remove it. */
  empty(signal: AbortSignal): Promise<void>;
}

// --- checks ----------------------------------------------------------------------------------------------------------

export interface CheckRequest {
  /** what is judged */
  readonly tree: TreeId;
  /** the last accepted tree: what must still be in force */
  readonly last: TreeId;
  /** staged tests of the current task and of every done task: the ones that must pass */
  readonly staged: readonly StagedTest[];
  /** staged tests of every task, pending ones too: what they load under tests/ is a judge file */
  readonly allStaged: readonly StagedTest[];
  /** test files (`test_*.py`, `*_test.py`) this task added or changed, staged ones aside; run in a process of their own */
  readonly added: readonly string[];
  /** title, description and criteria of the task: what it may replace by naming it */
  readonly taskText: string;
  /** ruff findings of the session base, as `ruff` of a RawCheck gives them */
  readonly discounted: ReadonlySet<string>;
  readonly ruffArgs: readonly string[];
  readonly timeoutMs: number;
}

export interface StagedTest {
  readonly path: string;
  readonly source: string;
}

/** What the check container reports; `runner/checks` makes the verdict of it. */
export interface CheckReport {
  readonly judgeFiles: readonly JudgeFileChange[];
  readonly integrityNotes: readonly string[];
  /** null when judge files already failed the tree: nothing of it ran */
  readonly ruff: RuffReport | null;
  readonly pytest: PytestReport | null;
  /** the run over `added`; null when there were none */
  readonly own: PytestReport | null;
  readonly ms: number;
}

export interface JudgeFileChange {
  readonly path: string;
  /** the judging table in a shared file, or null */
  readonly table: string | null;
  readonly what: "changed" | "added" | "deleted" | "shadows" | "unreadable_code";
  /** the task's text names it, so it may take effect */
  readonly allowed: boolean;
  /** the command that puts it back */
  readonly remedy: string;
}

export interface RuffReport {
  readonly exit: number | null;
  readonly timedOut: boolean;
  readonly findings: readonly RuffFinding[];
  /** what it said when it could not run at all */
  readonly problem: string;
  readonly ms: number;
}

export interface RuffFinding {
  readonly path: string;
  readonly rule: string;
  readonly line: number;
  readonly lineText: string;
  readonly message: string;
}

export interface PytestReport {
  /** ids the staged files' syntax trees ask for; `many` where only running them would tell how the ids end */
  readonly expected: readonly ExpectedTest[];
  readonly results: readonly TestResult[];
  /** errors of collection, per file */
  readonly collectErrors: readonly { readonly path: string; readonly reason: string; readonly text: string }[];
  /** the report carried the nonce of this run, the finished mark, and the canary as the one extra failure */
  readonly nonceSeen: boolean;
  readonly finished: boolean;
  readonly canaryFailed: boolean;
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** the process died without a report */
  readonly died: boolean;
  /** modules that a test or conftest wanted and nothing in image or tree provides */
  readonly missingModules: readonly string[];
  /** options of the project's addopts that were left out, or that nothing can serve */
  readonly droppedOptions: readonly string[];
  readonly unservedOptions: readonly string[];
  readonly output: string;
  readonly ms: number;
}

export interface ExpectedTest {
  readonly id: string;
  readonly many: boolean;
  /** how many ids begin like this one, where the syntax tree tells it */
  readonly count?: number | undefined;
}

export interface TestResult {
  readonly id: string;
  readonly outcome: "passed" | "failed" | "error" | "skipped" | "xfailed" | "xpassed";
  readonly text: string;
}

/** Judges trees, each in a fresh container that held nothing of the project before. */
export interface Checks {
  /** Starts a container ahead, so that the next `run` finds it warm. Never fails; a lost one is made again. */
  prepare(): void;
  /** Fails with HandsLost when the container died twice on this tree. */
  run(request: CheckRequest, signal: AbortSignal): Promise<CheckReport>;
  /** ruff findings of a tree, for discounting. */
  lintTree(tree: TreeId, ruffArgs: readonly string[], signal: AbortSignal): Promise<RuffReport>;
  /** ruff findings of files that are in no tree yet: staged tests, with the pinned rules. */
  lintFiles(files: readonly StagedTest[], signal: AbortSignal): Promise<RuffReport>;
}
