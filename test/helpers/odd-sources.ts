import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { CliStage, StageNames } from "./cli-stage.js";

export interface OddSource {
  readonly name: string;
  readonly names?: StageNames;
  /** makes the source from the stage's own and gives its path */
  readonly shape?: (stage: CliStage) => string;
  /** expected in the output of seed */
  readonly says?: RegExp;
}

const identity = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "a@example.org" };
const committer = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "a@example.org" };

function inSource(stage: CliStage, script: string, result = stage.source): string {
  const { PATH = "" } = process.env;
  const env = { PATH, GIT_CONFIG_NOSYSTEM: "1", HOME: join(stage.tilth.root, "user"), ...identity, ...committer };
  execFileSync("bash", ["-ec", script], { cwd: stage.source, env, stdio: "pipe" });
  return result;
}

const beside = (stage: CliStage, name: string) => join(stage.tilth.root, name);
const addSubmodule = "git -c protocol.file.allow=always submodule --quiet add";

/** Sources and homes that are unusual but sound: everything must work in them. */
export const oddSources: readonly OddSource[] = [
  {
    name: "names with colon, comma, line break, quotes, escapes and a leading dash",
    names: { source: "-so: a,b\n\"c\" 'd' $HOME `id`;\u001b[31m", home: "~h:o,m\ne \\x \r[y]*? #é日 \"'\u202e" },
  },
  {
    name: "a linked work tree at an odd path, of a repository that has others",
    shape: (stage) =>
      inSource(
        stage,
        "git worktree add -q -b other ../workspace; git worktree add -q -b own '../li:nked, x'",
        beside(stage, "li:nked, x"),
      ),
  },
  {
    name: "a shallow, partial clone with a detached head and changes",
    shape: (stage) =>
      inSource(
        stage,
        `git config uploadpack.allowFilter true; git commit -q --allow-empty -m second
        git clone -q --depth=1 --filter=blob:none "file://$PWD" ../shallow; cd ../shallow
        git checkout -q --detach; echo more >> AGENTS.md; echo new > new; git add new`,
        beside(stage, "shallow"),
      ),
    says: /uncommitted changes; they are not part of the base/,
  },
  {
    name: "a submodule with its own submodules and LFS pointers",
    shape: (stage) =>
      inSource(
        stage,
        `git init -q ../lib; git -C ../lib commit -q --allow-empty -m 1; ${addSubmodule} ../lib sub
        echo '*.bin filter=lfs diff=lfs merge=lfs -text' > .gitattributes
        printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 12345\\n' 7 > a.bin
        git add -A; git commit -q -m odd; git init -q ../super; ${addSubmodule.replace("git ", "git -C ../super ")} "$PWD" in`,
        beside(stage, "super/in"),
      ),
    says: /submodules are empty folders in a session: sub[\s\S]*Git LFS are pointer files/,
  },
  {
    name: "a sparse, split, watched index over files whose line ends git changes",
    shape: (stage) =>
      inSource(
        stage,
        `mkdir a b; echo 1 > a/f; echo 2 > b/f; printf 'a\\r\\nb\\r\\n' > crlf.txt; git add -A
        echo '*.txt text eol=crlf' > .gitattributes; git config core.autocrlf true; echo 1 > lf; git add -A
        git commit -q -m ends; git config core.splitIndex true; git update-index --split-index
        git config core.fsmonitor true; git config core.untrackedCache true; git config core.ignoreCase true
        git sparse-checkout set a`,
      ),
  },
  {
    name: "borrowed objects, a replaced head, grafts, packed refs and a git directory elsewhere",
    shape: (stage) =>
      inSource(
        stage,
        `git commit -q --allow-empty -m second; cp -a . '../al:ter,nate'
        git clone -q --shared --separate-git-dir='../g:d' '../al:ter,nate' ../apart; cd ../apart
        git commit -q --allow-empty -m third; git replace HEAD HEAD~1; git rev-parse HEAD > ../g:d/info/grafts
        git pack-refs --all`,
        beside(stage, "apart"),
      ),
  },
];
