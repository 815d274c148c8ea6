import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HostPath } from "../../runner/base/ids.js";
import { refuseUnseen } from "../../runner/source/preflight/config-files.js";
import { GitRepo, never } from "../helpers/git-repo.js";

/** A name that is not UTF-8, and its look as text. */
const odd = Buffer.from([0x6f, 0x64, 0x64, 0xff]);
const oddAsText = "odd\ufffd";

interface Attack {
  readonly name: string;
  /** hides `evil`, a config that would run a command, from a reader of files who does not read as git does */
  readonly hide: (git: string, evil: string) => void;
  readonly says: RegExp;
}

const below = (git: string, name: string | Buffer) => Buffer.concat([Buffer.from(`${git}/`), Buffer.from(name)]);
const append = (git: string, text: string | Buffer) => appendFileSync(join(git, "config"), text);

/** Makes a whole git directory inside, with this `config`. */
function another(git: string, name: string, config: string): void {
  mkdirSync(join(git, name));
  for (const part of ["objects", "refs", "info", "logs"])
    cpSync(join(git, part), join(git, name, part), { recursive: true });
  writeFileSync(join(git, name, "config"), config);
}

const attacks: readonly Attack[] = [
  {
    name: "a commondir that is a link",
    hide: (git, evil) => {
      another(git, "evil", evil);
      writeFileSync(join(git, "named"), "evil\n");
      symlinkSync("named", join(git, "commondir"));
    },
    says: /commondir' is a link/,
  },
  {
    name: "a commondir of many line ends",
    hide: (git, evil) => {
      another(git, "evil", evil);
      writeFileSync(join(git, "commondir"), `evil${"\n".repeat(5_000)}`);
    },
    says: /commondir' is too big/,
  },
  {
    name: "a commondir with a carriage return",
    hide: (git, evil) => {
      another(git, "evil", evil);
      another(git, "evil\r", "");
      writeFileSync(join(git, "commondir"), "evil\r\n");
    },
    says: /filter\.x\.clean/,
  },
  {
    name: "a link to a config whose name is no text",
    hide: (git, evil) => {
      cpSync(join(git, "config"), join(git, oddAsText));
      renameSync(join(git, "config"), below(git, odd));
      appendFileSync(below(git, odd), evil);
      symlinkSync(odd, join(git, "config"));
    },
    says: /not UTF-8/,
  },
  {
    name: "an include whose name is no text",
    hide: (git, evil) => {
      writeFileSync(below(git, odd), evil);
      append(git, Buffer.concat([Buffer.from("[include]\n\tpath = "), odd, Buffer.from("\n")]));
    },
    says: /not UTF-8/,
  },
  {
    name: "an include of a link to a name that is no text",
    hide: (git, evil) => {
      writeFileSync(below(git, odd), evil);
      writeFileSync(join(git, oddAsText), "");
      symlinkSync(odd, join(git, "more"));
      append(git, "[include]\n\tpath = more\n");
    },
    says: /not UTF-8/,
  },
  {
    name: "a config that includes itself from elsewhere",
    hide: (git, evil) => {
      mkdirSync(join(git, "sub"));
      symlinkSync("../config", join(git, "sub", "self"));
      writeFileSync(join(git, "sub", "more"), evil);
      append(git, "[include]\n\tpath = sub/self\n[include]\n\tpath = more\n");
    },
    says: /filter\.x\.clean/,
  },
  {
    name: "an include behind links to a path that is too long to be written",
    hide: (git, evil) => {
      const far = Array.from({ length: 14 }, () => "f".repeat(200)).join("/");
      execFileSync(
        "sh",
        ["-c", `mkdir -p '${far}' && ln -s '${far}' near && cd near && mkdir -p '${far}' && ln -s '${far}' near`],
        { cwd: git },
      );
      writeFileSync(join(git, "near", "near", "more"), evil);
      append(git, "[include]\n\tpath = near/near/more\n");
    },
    says: /more' cannot be looked at \(ENAMETOOLONG\)/,
  },
];

function victim(attack: Attack) {
  const repo = GitRepo.withCommit({ "a.txt": "one\n", ".gitattributes": "a.txt filter=x\n" });
  const trap = repo.trap();
  attack.hide(join(repo.path, ".git"), `[filter "x"]\n\tclean = ${trap.command}\n`);
  utimesSync(join(repo.path, "a.txt"), 1, 1);
  // a path too long to be written is one that Node cannot remove either
  return { repo, trap, [Symbol.dispose]: () => void execFileSync("rm", ["-rf", repo.root]) };
}

describe.each(attacks)("$name", (attack) => {
  test("runs its command under a naive git", () => {
    using attacked = victim(attack);
    const { repo, trap } = attacked;
    repo.tryGit("status");
    expect(trap.sprung()).toBe(true);
  });

  test("is refused and never runs", async () => {
    using attacked = victim(attack);
    const { repo, trap } = attacked;
    await expect(repo.preflight()).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(attack.says),
    });
    expect(trap.sprung()).toBe(false);
  });

  test("would be caught by git's own list if nobody had noticed it before", async () => {
    using attacked = victim(attack);
    const { repo } = attacked;
    const gitDir = join(repo.path, ".git") as HostPath;
    await expect(refuseUnseen(repo.hostGit(), gitDir, [], never)).rejects.toThrow("filter.x.clean");
  });
});

test("a config that lies elsewhere under honest names passes", async () => {
  using repo = GitRepo.withCommit();
  const git = join(repo.path, ".git");
  renameSync(join(git, "config"), join(git, "größe"));
  symlinkSync("größe", join(git, "config"));
  writeFileSync(join(git, "mehr é"), "[core]\n\tquotePath = false\n");
  append(git, "[include]\n\tpath = mehr é\n[include]\n\tpath = absent\n");
  expect(existsSync(join(git, "commondir"))).toBe(false);
  expect(readFileSync(join(git, "config"), "utf8")).toContain("mehr");
  expect(await repo.preflight()).toMatchObject({ head: repo.head, dirty: "clean" });
});
