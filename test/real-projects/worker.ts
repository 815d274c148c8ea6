import { inflateSync } from "node:zlib";
import type { ScriptedCall, ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { bash, submit } from "../../runner/demo/script/steps.js";
import { writeFile } from "../helpers/session-play.js";
import type { RealProject } from "./projects.js";
import { type Outcomes, outcomesIn, report, suiteCommand } from "./suite.js";

/** fits into the part of an answer that a tool shows whole */
const portion = 7_200;
const packed = `python -c "import base64, zlib; print(base64.b64encode(zlib.compress(open('${report}', 'rb').read(), 9)).decode())"`;

/**
 * Runs the project's own tests, brings their report out through the answers of its tools, then does its one task: first
 * with a slip elsewhere in the project's code, then without.
 */
export class ProjectWorker {
  /** the answers of the tools, in order */
  readonly answers: string[] = [];
  readonly #project: RealProject;
  #text = "";
  #asked = 0;
  #outcomes: Outcomes | null = null;
  #refused: string | null = null;

  constructor(project: RealProject) {
    this.#project = project;
  }

  get outcomes(): Outcomes {
    return this.#outcomes ?? new Map();
  }

  /** the answer to the case with the slip */
  get refusal(): string {
    return this.#refused ?? "";
  }

  readonly turn = (request: ScriptedRequest): Turn => {
    if (request.index === 0) return { calls: [bash(suiteCommand(this.#project))] };
    const answer = String(request.messages.at(-1)?.content ?? "");
    this.answers.push(answer);
    if (this.#outcomes !== null) return this.#again(answer);
    if (this.#asked > 0) {
      const [, part = ""] = /^([\w+/=]*)END$/m.exec(answer) ?? [];
      this.#text += part;
      if (part.length < portion) return this.#done();
    }
    const from = portion * this.#asked++;
    return { calls: [bash(`text=$(${packed}); printf '%sEND\\n' "\${text:${from}:${portion}}"`)] };
  };

  #done(): Turn {
    this.#outcomes = outcomesIn(this.#text === "" ? "{}" : inflateSync(Buffer.from(this.#text, "base64")).toString());
    const { module, source } = this.#project.task;
    const { from, to } = this.#project.mutant;
    return { calls: [writeFile(module, source), this.#replaced(from, to), this.#presented()] };
  }

  #again(answer: string): Turn {
    if (this.#refused !== null) return { quiet: "That is all I know." };
    this.#refused = answer;
    const { from, to } = this.#project.mutant;
    return { calls: [this.#replaced(to, from), this.#presented()] };
  }

  #replaced(from: string, to: string): ScriptedCall {
    return ["edit_file", { path: this.#project.mutant.path, old_string: from, new_string: to }];
  }

  #presented(): ScriptedCall {
    return submit({ summary: "The module is there.", met: [`${this.#project.task.module}:described`] });
  }
}
