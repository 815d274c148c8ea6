import { describe, expect, it } from "vitest";
import { GitRepo } from "../helpers/git-repo.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, calls, reject, solve, submit, write } from "../helpers/loop-turns.js";

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

describe("a session on a real source", () => {
  it("leaves one commit for each accepted task, of the tree that was checked and judged", async () => {
    using repo = GitRepo.withCommit({ "README.md": "# x\n" })
      .config("user.name", "Ada")
      .config("user.email", "ada@example.org");
    const session = await LoopSession.inSource(repo, { tasks: 2 });
    const branch = `session/${session.files.id}`;
    const worker = [solve(1), calls(write("note.txt", "why\n"), submit("With a note.")), solve(2)];
    const run = await session.run({ worker, evaluator: [reject(), accept, accept] });
    expect(run.reason).toBe("all_done");

    const [seed, ...shas] = lines(repo.git("log", "--reverse", "--format=%H", `main..${branch}`));
    expect(run.of("commit").map(({ sha }) => sha)).toEqual(shas);
    for (const commit of run.of("commit")) {
      expect(repo.treeOf(commit.sha)).toBe(commit.tree);
      const judged = run.of("evaluator_verdict").filter(({ verdict }) => verdict.verdict === "accept");
      expect(judged.map(({ tree }) => tree)).toContain(commit.tree);
      expect(run.of("check_run").map(({ tree }) => tree)).toContain(commit.tree);
    }
    expect(repo.git("show", "--stat", "--format=", seed ?? "")).toContain("tests/test_t001_feature.py");
    expect(
      lines(
        repo.git("log", "--reverse", "--format=%s|%an|%cn|%(trailers:unfold,separator=%x2C)", `${seed}..${branch}`),
      ),
    ).toEqual(
      ["T-001: Title of 1", "T-002: Title of 2"].map(
        (subject, at) => `${subject}|Ada|tilth|Tilth-Session: ${session.files.id},Tilth-Task: T-00${at + 1}`,
      ),
    );
    expect(repo.git("-C", session.files.paths.worktree, "status", "--porcelain")).toBe("");
  });

  it("stops before a task when somebody committed on its branch, and names both commits and the way back", async () => {
    using repo = GitRepo.withCommit();
    const session = await LoopSession.inSource(repo, { tasks: 2 });
    const ref = `refs/heads/session/${session.files.id}`;
    const left = session.files.loadCheckpoint().last_commit;
    const tree = repo.git("rev-parse", `${ref}^{tree}`).trim();
    const theirs = repo.git("commit-tree", tree, "-p", left, "-m", "mine now").trim();
    repo.git("update-ref", ref, theirs);
    const run = await session.run({ worker: [solve(1)], evaluator: [accept] });
    expect(run.reason).toBe("branch_moved");
    expect(run.end.stop.detail).toContain(left);
    expect(run.end.stop.detail).toContain(theirs);
    expect(run.end.stop.hint).toContain(`update-ref ${ref} ${left} ${theirs}`);
    expect(run.of("model_call")).toEqual([]);
    expect(repo.git("rev-parse", ref).trim()).toBe(theirs);
    expect([session.statuses, session.files.loadCheckpoint().status]).toEqual([["pending", "pending"], "running"]);
  });

  it("never moves a branch that somebody moved while the case was judged, and keeps the work", async () => {
    using repo = GitRepo.withCommit();
    const session = await LoopSession.inSource(repo);
    const ref = `refs/heads/session/${session.files.id}`;
    const meanwhile = () => {
      repo.git("update-ref", ref, repo.head);
      return accept;
    };
    const run = await session.run({ worker: [solve(1)], evaluator: [meanwhile] });
    expect([run.reason, session.statuses]).toEqual(["branch_moved", ["pending"]]);
    expect(repo.git("rev-parse", ref).trim()).toBe(repo.head);
    expect(session.text("partialPatch")).toContain("+value = 1");
    expect(run.of("commit_prepared")).toHaveLength(1);
    expect(run.of("commit")).toEqual([]);
  });
});
