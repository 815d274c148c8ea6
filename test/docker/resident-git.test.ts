import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ResidentContainer } from "../helpers/resident-container.js";

const folder = mkdtempSync(join(tmpdir(), "tilth-resident-git-"));
let box: ResidentContainer;
let commit = "";
let tree = "";

beforeAll(async () => {
  const work = join(folder, "work");
  mkdirSync(join(work, "pkg"), { recursive: true });
  writeFileSync(join(work, ".gitattributes"), "* text=auto eol=crlf ident filter=evil\n");
  writeFileSync(join(work, "pkg/a.py"), "# $Id$\nX = 1\n");
  writeFileSync(join(work, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync("pkg/a.py", join(work, "link"));
  git(work, "init", "-q");
  git(work, "-c", "core.attributesFile=/dev/null", "add", "-A");
  git(work, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "base");
  commit = git(work, "rev-parse", "HEAD");
  tree = git(work, "rev-parse", "HEAD^{tree}");
  git(folder, "clone", "-q", "--bare", work, join(folder, "repo"));
  chmodSync(folder, 0o755);
  box = await ResidentContainer.start({ binds: [`${join(folder, "repo")}:/repo:ro`] });
});
afterAll(async () => {
  await box[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
}

test("the fresh call leaves exactly the tree, whatever stood there and whatever its attributes say", async () => {
  await box.bash(
    "mkdir -p old/deep; touch old/deep/f; chmod 000 old; echo x > pkg; echo x > /tmp/x; setsid sleep 501 &",
  );
  expect(await box.call("fresh", { tree })).toMatchObject({ files: 4 });
  expect(await box.alive()).toEqual([]);
  const seen = await box.bash("find . -mindepth 1 -printf '%P %y %m\\n' | sort; cat pkg/a.py; ls -A /tmp /home/tilth");
  expect(seen.text).toBe(
    ".gitattributes f 644\nlink l 777\npkg d 755\npkg/a.py f 644\nrun.sh f 755\n# $Id$\nX = 1\n/home/tilth:\n\n/tmp:\n",
  );
  expect(await box.refused("fresh", { tree: "0".repeat(40) })).toMatch(/^io: git read-tree/);
  expect(await box.refused("fresh", { tree: "--help" })).toMatch(/^usage:/);
});

test("the reset call leaves nothing of the last task and gives a scratch repository at the commit", async () => {
  await box.call("fresh", { tree });
  await box.bash("echo 'gitdir: /home/tilth/.scratch.git' > .git");
  await box.bash(`
    mkdir -p /tmp/a/b; touch /tmp/a/b/c /dev/shm/s /home/tilth/.bashrc; chmod 000 /tmp/a/b /tmp/a; chmod 000 /tmp
    python3 -c 'import ctypes; print(ctypes.CDLL(None).shmget(77, 4096, 0o1666), ctypes.CDLL(None).semget(78, 1, 0o1666), ctypes.CDLL(None).msgget(79, 0o1666))'`);
  expect((await box.bash("cat /proc/sysvipc/* | wc -l")).text).toBe("6\n");
  await box.call("reset", { commit });
  expect((await box.bash("cat /proc/sysvipc/* | wc -l; ls -A /tmp /dev/shm; ls -A ~")).text).toBe(
    "3\n/dev/shm:\n\n/tmp:\n.scratch.git\n",
  );
  const log = await box.bash(
    "git log --format=%H; git status --short; git symbolic-ref HEAD; echo Y >> pkg/a.py; git diff --stat",
  );
  expect(log.text).toBe(`${commit}\nrefs/heads/work\n pkg/a.py | 1 +\n 1 file changed, 1 insertion(+)\n`);
  expect(
    (
      await box.bash(
        "git stash -q && git status --short && git commit -q --allow-empty -m mine && git log --oneline | wc -l",
      )
    ).text,
  ).toBe("2\n");
  await box.call("reset", { commit });
  expect((await box.bash("git log --format=%H")).text).toBe(`${commit}\n`);
});

test("a folder nested without end and twenty thousand files are wiped, and pings are answered meanwhile", async () => {
  await box.bash(`python3 -c '
import os
os.chdir("/tmp")
for i in range(3000):
    os.mkdir("d"); os.chdir("d")
open("f", "w").close()
os.chdir("/home/tilth")
for i in range(20000): open(str(i), "w").close()
'`);
  const wiped = box.call("reset", { commit: null });
  let answered = 0;
  let wiping = true;
  void wiped.finally(() => {
    wiping = false;
  });
  while (wiping) {
    await box.refused("nothing", {});
    answered += 1;
  }
  await wiped;
  expect(answered).toBeGreaterThan(2);
  expect((await box.bash("find /tmp /home/tilth | wc -l")).text).toBe("2\n");
});

test("a tree that does not fit is refused by its size", async () => {
  const blob = execFileSync("git", ["-C", join(folder, "work"), "hash-object", "-w", "--stdin"], {
    input: Buffer.alloc(70 * 1024 * 1024, "x"),
    encoding: "utf8",
  }).trim();
  const big = execFileSync("git", ["-C", join(folder, "work"), "mktree"], {
    input: `100644 blob ${blob}\tbig\n`,
    encoding: "utf8",
  }).trim();
  git(join(folder, "work"), "push", "-q", join(folder, "repo"), `${big}:refs/tags/big`);
  expect(await box.refused("fresh", { tree: big })).toMatch(
    /^io: The tree does not fit into the 64 MB of \/workspace\.$/,
  );
  expect(await box.call("fresh", { tree })).toMatchObject({ files: 4 });
});

test("the self-test says what the container is", async () => {
  const facts = await box.call("self_test", { probe: ["/etc/passwd", "/nowhere"] });
  expect(facts).toMatchObject({
    uid: 10001,
    gid: 10001,
    no_new_privs: 1,
    seccomp: 2,
    others_limits: false,
    interfaces: ["lo"],
    rootfs_readonly: true,
  });
  expect(facts.readable_outside).toEqual(["/etc/passwd"]);
  expect((facts.mounts as { dest: string }[]).map(({ dest }) => dest)).toContain("/repo");
});
