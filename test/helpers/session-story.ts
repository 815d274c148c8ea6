import { accept, reject, type Script, type ScriptedRequest, type Turn } from "../../runner/demo/script/script.js";
import type { GitRepo } from "./git-repo.js";
import { armHost } from "./session-hostile-host.js";
import { honestPart, partPath, partsProject, partTask, partTest, testPath } from "./session-parts.js";
import { bash, Play, present, reply, taskIn, writeFile } from "./session-play.js";
import type { SeedTask, SessionPlan } from "./session-world.js";

/** Each word stands in one place only, so that finding it tells who was shown what. */
function task(n: number, word: string): SeedTask {
  return partTask(n, {
    title: `TITLE-${word}`,
    description: `DESCRIPTION-${word}: part ${n} gives its value. A fixture goes into conftest.py.`,
    acceptance_criteria: [`CRITERION-${word}: value() of part ${n} is ${n * 11}`],
    test: { name: testPath(n).slice("tests/".length), source: `# SEEDTEST-${word}\n${partTest(n)}` },
  });
}

/** Every call is reported with this many tokens; the sums must not be shown to anybody. */
export const usage = { prompt: 61_803, completion: 39_887 };

const look = bash(
  `env; git log --all --oneline; git cat-file --batch-all-objects --batch | grep -ac 'OTHER[B]RANCH'
   ls / /repo /workspace; cat uncommitted.txt; cat /proc/1/environ; cat /root/.ssh/id_rsa ~/.ssh/id_rsa`,
);
const fixture = "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n";
const caseOf = (word: string) => present({ summary: `CASE-${word}`, uncertainties: [`DOUBT-${word}`] });

export const play = new Play({
  "T-001": [
    { turn: { quiet: "PROSE-ONE" } },
    { turn: { empty: true } },
    { turn: { cut: ["write_file", `{"path": "${partPath(1)}", "conte`] } },
    { turn: { calls: [look, ["no_such_tool", {}]], reasoning: "REASONING-ONE", content: "I look around." } },
    reply([writeFile(partPath(1), "def value():\n    return 12\n"), caseOf("WRONG")], /OTHERBRANCH|exit code/),
    reply([["submit_case", { summary: "MALFORMED-ONE", ac_coverage: [] }]], /wrote/, /assert 12 == 11/),
    reply(
      [honestPart(1), writeFile("AGENTS.md", "NEW-AGENTS\n"), writeFile("conftest.py", fixture), caseOf("ONE")],
      /criteri/,
    ),
    reply([honestPart(1), caseOf("ONE-AGAIN")], /./, /./, /./, /CONCERN-ONE/),
  ],
  "T-002": [reply([honestPart(2), caseOf("TWO")])],
});

const verdicts: readonly Turn[] = [
  { quiet: "PROSE-VERDICT" },
  reject("weak_test", "CONCERN-ONE", "NEXT-STEP-ONE in conftest.py"),
  accept("ACCEPTED-ONE"),
  accept("ACCEPTED-TWO"),
];

function selfImprove(request: ScriptedRequest): Turn {
  const learning = taskIn(request) === "T-001" ? { propose: "yes", learning: "LEARNING-ONE" } : { propose: "no" };
  return { quiet: JSON.stringify(learning) };
}

/** A turn with the same usage as every other. */
function counted(turn: Turn): Turn {
  if (typeof turn === "function") return (request) => counted(turn(request));
  return { ...turn, usage } as Turn;
}

const script: Script = {
  worker: (request) => counted(typeof play.worker === "function" ? play.worker(request) : { empty: true }),
  evaluator: verdicts.map(counted),
  self_improve: (request) => counted(selfImprove(request)),
};

export const story: SessionPlan = {
  files: { ...partsProject(2), "AGENTS.md": "BASE-AGENTS\n", "CLAUDE.md": "BASE-CLAUDE\n" },
  tasks: [task(1, "ONE"), task(2, "TWO")],
  meta: {
    tldr: "- SEED-TLDR",
    open_questions: ["SEED-QUESTION"],
    blockers: ["SEED-BLOCKER"],
    scope_notes: "SEED-SCOPE",
  },
  script,
  spoil: (repo: GitRepo) => {
    repo.git("checkout", "-q", "-b", "other");
    repo.files({ "other.txt": "OTHERBRANCH\n" }).commit("OTHERBRANCH");
    repo.git("checkout", "-q", "main");
    repo.files({ "uncommitted.txt": "UNCOMMITTED\n", "README.md": "UNCOMMITTED\n" });
    armHost(repo);
  },
};
