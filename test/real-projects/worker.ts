import { inflateSync } from "node:zlib";
import type { ScriptedRequest, Turn } from "../../runner/demo/script.js";
import { bash, submit } from "../../runner/demo/steps.js";
import { writeFile } from "../helpers/session-play.js";
import type { RealProject } from "./projects.js";
import { type Outcomes, outcomesIn, report, suiteCommand } from "./suite.js";

/** fits what one answer of a tool shows in whole */
const portion = 7_200;
const packed = `python -c "import base64, zlib; print(base64.b64encode(zlib.compress(open('${report}', 'rb').read(), 9)).decode())"`;

/** Runs the project's own tests, brings their report out through what its tools answer, then does its one task. */
export class ProjectWorker {
  /** what the tools answered, in order */
  readonly answers: string[] = [];
  readonly #project: RealProject;
  #text = "";
  #asked = 0;
  #outcomes: Outcomes | null = null;

  constructor(project: RealProject) {
    this.#project = project;
  }

  get outcomes(): Outcomes {
    return this.#outcomes ?? new Map();
  }

  readonly turn = (request: ScriptedRequest): Turn => {
    if (request.index === 0) return { calls: [bash(suiteCommand(this.#project))] };
    const answer = String(request.messages.at(-1)?.content ?? "");
    this.answers.push(answer);
    if (this.#outcomes !== null) return { quiet: "That is all I know." };
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
    const met = [`${module}:described`];
    return { calls: [writeFile(module, source), submit({ summary: "The module is there.", met })] };
  }
}
