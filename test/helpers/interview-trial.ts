import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Spend } from "../../runner/dialogue/spend.js";
import type { Reading } from "../../runner/hands/ports/reading.js";
import { type InterviewEnd, interview } from "../../runner/interview/interview.js";
import type { ModelClient } from "../../runner/model/port/model-client.js";
import type { Prd } from "../../runner/session/state/prd.js";
import { JumpingClock } from "./asking.js";
import { FakeFrontend } from "./fake-frontend.js";
import { FakeModelClient, type FakeTurn } from "./fake-model-client.js";
import { FakeSeedSink } from "./fake-seed-sink.js";
import { FakeWork } from "./fake-work.js";
import { RecordedEvents } from "./recorded-events.js";
import { scratch } from "./scratch.js";

export interface TrialOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly answers?: readonly string[];
  readonly refusals?: readonly string[];
  readonly plan?: Prd;
  readonly firstId?: string;
  readonly reading?: Reading;
  readonly contextTokens?: number;
  /** used in place of the client that plays the turns */
  readonly client?: ModelClient;
}

/** An interview about a folder with a scripted model, a scripted person, and a sink that tries no tests. */
export class InterviewTrial {
  readonly events = new RecordedEvents();
  readonly clock = new JumpingClock();
  readonly spend = new Spend();
  readonly interruption = new AbortController();
  readonly frontend: FakeFrontend;
  readonly sink: FakeSeedSink;
  readonly model: FakeModelClient;
  readonly root = scratch();
  readonly #options: TrialOptions;

  constructor(turns: readonly FakeTurn[], options: TrialOptions = {}) {
    this.#options = options;
    this.model = new FakeModelClient({ interviewer: turns });
    this.frontend = new FakeFrontend(options.answers);
    this.sink = new FakeSeedSink(options.refusals);
    for (const [path, text] of Object.entries(options.files ?? {})) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
  }

  link(path: string, target: string): void {
    symlinkSync(target, join(this.root, path));
  }

  hold(): Promise<InterviewEnd> {
    const { firstId = "T-001", plan = null, reading, contextTokens = null, client = this.model } = this.#options;
    return interview({
      brief: "THE-BRIEF",
      firstId,
      plan,
      tools: ["Python 3.11", "pytest 8"],
      contextTokens,
      reading: reading ?? new FakeWork(this.root, "", ""),
      frontend: this.frontend,
      sink: this.sink,
      model: client,
      events: this.events,
      spend: this.spend,
      clock: this.clock,
      signal: this.interruption.signal,
    });
  }

  /** the answers that the model got to its calls, in order */
  get answers(): readonly string[] {
    return this.events.of("tool_result").map(({ content }) => content);
  }
}
