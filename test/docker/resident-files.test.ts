import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { quickest } from "../helpers/quickest.js";
import { ResidentContainer } from "../helpers/resident-container.js";

let box: ResidentContainer;
beforeAll(async () => {
  box = await ResidentContainer.start();
  await box.bash(`
    mkdir -p pkg/deep data node_modules/dep; echo "LEAF = 1" > pkg/deep/leaf.py; : > pkg/__init__.py
    printf 'one\\ntwo\\nthree' > data/three.txt; seq 1 1000 > data/lines.txt; echo NODEHIT > node_modules/dep/x.js
    echo secret > /tmp/secret; mkdir /tmp/out; echo secret > /tmp/out/f; echo "gitdir: x" > .git
    ln -s data/three.txt inside; ln -s /workspace/data/three.txt inside_absolute; ln -s /tmp/secret outside; ln -s /tmp out
    ln -s ../tmp/secret climbs; ln -s /workspace-evil/x sibling; ln -s loop loop; ln -s .git git_link; ln -s /tmp/new dangles_out
    ln -s data/made.txt dangles_in; mkfifo pipe; ln -s pipe pipe_link`);
});
afterAll(async () => {
  await box[Symbol.asyncDispose]();
});

async function read(path: string, more: Record<string, unknown> = {}) {
  return await box.call("read", { path, max_bytes: 50_000, ...more });
}
async function write(path: string, content: string | Buffer, more: Record<string, unknown> = {}) {
  return await box.call("write", { path, ...more }, { input: Buffer.from(content) });
}
async function edit(path: string, old: string, text: string) {
  return await box.call("edit", { path, old, new: text, max_bytes: 1_000_000 });
}
async function cat(path: string): Promise<string> {
  return (await box.bash(`cat ${path}`)).text;
}

describe("read", () => {
  test("gives bytes, and counts lines from one", async () => {
    expect(await read("data/three.txt")).toMatchObject({ size: 13, first_line: 1, last_line: 3, truncated: false });
    const some = await read("/workspace/data/lines.txt", { offset: 100, limit: 2 });
    expect(some).toMatchObject({ first_line: 100, last_line: 101, truncated: true });
    expect(some.data.toString()).toBe("100\n101\n");
    expect(await read("pkg/__init__.py")).toMatchObject({ size: 0, first_line: 1, last_line: 0, truncated: false });
    expect(await box.refused("read", { path: "data/three.txt", offset: 4, max_bytes: 9 })).toMatch(
      /^tool: .*the file has 3 lines/,
    );
    expect(await box.refused("read", { path: "data/lines.txt", offset: 2000, max_bytes: 9 })).toMatch(
      /^tool: .*has 1000 lines/,
    );
  });

  test("cuts at a byte limit, between characters", async () => {
    await write("euro.txt", "€".repeat(10));
    expect((await read("euro.txt", { max_bytes: 8 })).data.toString()).toBe("€€");
    expect(await read("euro.txt", { max_bytes: 30 })).toMatchObject({ truncated: false });
    await write("raw.bin", Buffer.from([0xff, 0xfe, 0x80, 0x80, 0x80, 0x80]));
    expect((await read("raw.bin", { max_bytes: 5 })).data.length).toBe(5);
  });

  test("follows links inside the workspace only", async () => {
    expect((await read("inside")).data.toString()).toBe("one\ntwo\nthree");
    expect((await read("inside_absolute")).size).toBe(13);
    expect((await read("pkg/../data/./three.txt")).size).toBe(13);
    for (const path of ["outside", "out/secret", "out/out/f", "climbs", "sibling"]) {
      expect((await box.bash(`cat ${path} 2>&1 | head -c 6`)).text).toBe(path === "sibling" ? "cat: s" : "secret");
      expect(await box.refused("read", { path, max_bytes: 9 })).toMatch(
        new RegExp(`^tool: ${path}: outside the workspace`),
      );
    }
  });

  test.each([
    "../etc/passwd",
    "/etc/passwd",
    "data/../../x",
    "/workspace/../tmp/secret",
    "/workspace-evil/x",
    "nowhere/../../x",
    "/proc/self/environ",
    "/",
  ])("refuses %s, which is outside", async (path) => {
    expect(await box.refused("read", { path, max_bytes: 9 })).toBe(
      `tool: ${path}: outside the workspace; paths are relative to /workspace or absolute under it.`,
    );
  });

  test.each([
    ["data", /data: a folder/],
    [".", /a folder/],
    ["/workspace", /a folder/],
    ["data/", /a folder/],
    ["data/three.txt/", /a folder/],
    ["data/none.txt/.", /a folder/],
    ["none.txt", /none\.txt: no such file/],
    ["none/at/all", /no such file/],
    ["data/three.txt/x", /three\.txt is not a folder/],
    ["", /path is empty/],
    [" \n", /path is empty/],
    ["a\0b", /NUL/],
    ["loop", /too many links/],
    ["pipe", /not a regular file/],
    ["pipe_link", /not a regular file/],
    [".git", /\.git is git's own/],
    [".GIT/config", /\.git is git's own/],
    ["git_link", /\.git is git's own/],
    ["pkg/../.git", /\.git is git's own/],
    ["x".repeat(300), /File name too long/],
    ["a\nb", /a\\nb: no such file/],
  ])("refuses %j with a sentence", async (path, said) => {
    expect(await box.refused("read", { path, max_bytes: 9 })).toMatch(said);
    expect(await box.refused("read", { path, max_bytes: 9 })).toMatch(/^tool: /);
  });

  test("gives the first lines of a file of a terabyte, and gives up on its last", async () => {
    await box.bash("truncate -s 1T sparse 2>/dev/null || truncate -s 200M sparse; ls -l sparse");
    expect((await read("sparse")).data.length).toBe(50_000);
    const refused = async () =>
      expect(await box.refused("read", { path: "sparse", offset: 5, max_bytes: 9 })).toMatch(/^tool: /);
    expect(await quickest(refused, 3_000)).toBeLessThan(3_000);
    await box.bash("rm sparse");
  });
});

describe("write", () => {
  test("makes folders and writes exact bytes, with mode 0644", async () => {
    const bytes = Buffer.from("a\r\nb\tü\n\n  end\0\xff", "latin1");
    expect(await write("new/folders/f.txt", bytes)).toMatchObject({
      bytes: bytes.length,
      path: "new/folders/f.txt",
      lint: null,
    });
    expect((await read("new/folders/f.txt")).data).toEqual(bytes);
    expect((await box.bash("stat -c %a new/folders/f.txt new/folders")).text).toBe("644\n755\n");
    await write("empty", "");
    expect((await read("empty")).size).toBe(0);
  });

  test("keeps mode and hard links, and can shorten a file", async () => {
    await box.bash("printf longer-than-that > run.sh; chmod 750 run.sh; ln run.sh twin.sh");
    await write("run.sh", "short");
    expect((await box.bash("cat twin.sh; stat -c ' %a %h' run.sh")).text).toBe("short 750 2\n");
  });

  test("follows no link out, dangling or not, and makes the file that a link inside names", async () => {
    for (const path of ["outside", "out/evil", "dangles_out", "out/deep/er/evil", "x/../../evil", "/tmp/evil"]) {
      expect(await box.refused("write", { path }, { input: Buffer.from("evil") })).toMatch(
        /^tool: .*outside the workspace/,
      );
    }
    expect((await box.bash("ls -A /tmp; cat /tmp/secret; ls -d x 2>&1 | head -c 3")).text).toBe(
      "out\nsecret\nsecret\nls:",
    );
    await write("dangles_in", "made");
    expect(await cat("data/made.txt")).toBe("made");
    expect(await write("inside", "one\ntwo\nthree")).toMatchObject({ path: "data/three.txt" });
  });

  test("refuses what is no file or may not be written", async () => {
    await box.bash("echo x > locked; chmod 444 locked; mkdir shut; chmod 555 shut");
    for (const [path, said] of [
      ["pipe", /not a regular file/],
      ["data", /a folder/],
      ["none/new/", /a folder/],
      [".git", /git's own/],
      ["locked", /Permission denied/],
      ["shut/x", /Permission denied/],
    ] as const) {
      expect(await box.refused("write", { path }, { input: Buffer.from("x") })).toMatch(said);
    }
    expect((await box.bash("ls -d none 2>&1 | head -c 3")).text).toBe("ls:");
  });

  test("never leads out through a link that is swapped all the time", async () => {
    await box.bash("mkdir -p real; echo inside > real/f");
    const swapping = box.bash("for i in $(seq 250); do rm -rf s; ln -s /tmp/out s; rm s; cp -r real s; done");
    const seen = new Set<string>();
    for (let i = 0; i < 250; i += 1) {
      seen.add(
        await read("s/f").then(
          (said) => said.data.toString(),
          (error: Error) => error.name,
        ),
      );
    }
    await swapping;
    expect([...seen].every((each) => each === "inside\n" || each === "ResidentRefusal" || each === "")).toBe(true);
  });
});

describe("edit", () => {
  test("replaces the one match by exactly the bytes given", async () => {
    await write("e.txt", "price = OLD\r\nnext\r\n");
    expect(await edit("e.txt", "OLD", "$$ and $& and \\1")).toMatchObject({ path: "e.txt", bytes: 32 });
    expect(await cat("e.txt")).toBe("price = $$ and $& and \\1\r\nnext\r\n");
    await edit("e.txt", "$$ and $& and \\1", "");
    expect(await cat("e.txt")).toBe("price = \r\nnext\r\n");
  });

  test.each([
    ["same", "x", /twice\.txt: old_string has 2 matches/],
    ["absent", "x", /twice\.txt: old_string was not found \(0 matches\)/],
    ["aa", "x", /2 matches/],
    ["", "x", /old_string is empty/],
    ["same", "same", /identical/],
  ])("refuses to replace %j by %j and leaves the file as it was", async (old, text, said) => {
    await write("twice.txt", "same\nsame\naaa\n");
    expect(await box.refused("edit", { path: "twice.txt", old, new: text, max_bytes: 100 })).toMatch(said);
    expect(await cat("twice.txt")).toBe("same\nsame\naaa\n");
  });

  test("says when only the line ends differ", async () => {
    await write("crlf.txt", "alpha\r\nbeta\r\n");
    const refused = (old: string) => box.refused("edit", { path: "crlf.txt", old, new: "x", max_bytes: 100 });
    expect(await refused("alpha\nbeta")).toMatch(
      /not found \(0 matches\); with \\r\\n at the end of its lines it would be/,
    );
    expect(await refused("alpha\ngamma")).toMatch(/not found \(0 matches\)\.$/);
  });

  test("refuses a file that is too large, missing or elsewhere", async () => {
    expect(await box.refused("edit", { path: "data/lines.txt", old: "1", new: "2", max_bytes: 100 })).toMatch(
      /more than the 100/,
    );
    expect(await box.refused("edit", { path: "none.txt", old: "1", new: "2", max_bytes: 100 })).toMatch(
      /none\.txt: no such file/,
    );
    expect(await box.refused("edit", { path: "outside", old: "s", new: "2", max_bytes: 100 })).toMatch(/outside/);
  });
});

describe("the lint hook", () => {
  const lint = { argv: ["/opt/tilth/venv/bin/ruff", "check", "--no-cache", "--quiet"], timeout_ms: 5_000 };

  test("says what ruff found in a .py, says nothing when it is clean, and leaves other files alone", async () => {
    expect((await write("bad.py", "import os\n", { lint })).lint).toMatch(/F401/);
    expect((await write("good.py", "X = 1\n", { lint })).lint).toBe("");
    expect((await write("bad.txt", "import os\n", { lint })).lint).toBeNull();
    const edited = await box.call("edit", { path: "good.py", old: "X = 1", new: "import os", max_bytes: 99, lint });
    expect(edited.lint).toMatch(/F401/);
    const absent = { ...lint, argv: ["/opt/tilth/env/bin/ruff", "check"] };
    expect((await write("bad.py", "import os\n", { lint: absent })).lint).toBe("");
  });

  test("is killed with all that it started when it takes too long", async () => {
    const slow = { argv: ["/bin/bash", "-c", "sleep 331 & sleep 332"], timeout_ms: 200 };
    expect((await write("slow.py", "X = 1\n", { lint: slow })).lint).toMatch(/did not end within 0\.2 s/);
    expect(await box.alive()).toEqual([]);
  });
});

describe("glob", () => {
  const find = async (pattern: string, limit = 200) => {
    const { data, ...said } = await box.call("glob", { pattern, limit, skip: ["node_modules", "*.egg-info"] });
    return said as unknown as { paths: string[]; truncated: boolean };
  };

  test("matches whole paths from the root, sorts them, and marks folders", async () => {
    await box.bash(
      "mkdir g; cd g; mkdir -p a/b a.d x.egg-info; touch a/b/1.py a/2.py a.py .hid b.PY a.d/3.ts '[q].c' x.egg-info/z.py",
    );
    expect((await find("g/**/*.py")).paths).toEqual(["g/a.py", "g/a/2.py", "g/a/b/1.py"]);
    expect((await find("g/*")).paths).toEqual(["g/.hid", "g/[q].c", "g/a.d/", "g/a.py", "g/a/", "g/b.PY"]);
    expect((await find("/workspace/g/**/[0-9].{py,ts}")).paths).toEqual(["g/a.d/3.ts", "g/a/2.py", "g/a/b/1.py"]);
    expect((await find("g/{a,a.d}/?.[!p]*")).paths).toEqual(["g/a.d/3.ts"]);
    expect((await find("g/a/**")).paths).toEqual(["g/a/2.py", "g/a/b/", "g/a/b/1.py"]);
    expect((await find("g/[[]q].c")).paths).toEqual(["g/[q].c"]);
    expect((await find("**/leaf.py")).paths).toEqual(["pkg/deep/leaf.py"]);
    expect((await find("**/*.nothing")).paths).toEqual([]);
  });

  test("stops at its limit, leaves out skipped folders, and follows no link", async () => {
    expect(await find("g/*", 2)).toMatchObject({ paths: ["g/.hid", "g/[q].c"], truncated: true });
    for (const pattern of ["**/x.js", "node_modules/**", "out/*", "**/HEAD", ".git*"]) {
      expect((await find(pattern)).paths).toEqual([]);
    }
    expect((await find("ou*")).paths).toEqual(["out", "outside"]);
  });

  test("refuses a pattern that leads outside or is empty, and is not held up by a pattern or a name", async () => {
    for (const pattern of ["../*", "/etc/pass*", "a/../../b", "/workspaces/*"]) {
      expect(await box.refused("glob", { pattern, limit: 9 })).toMatch(/^tool: .*leads outside the workspace/);
    }
    expect(await box.refused("glob", { pattern: " ", limit: 9 })).toMatch(/pattern is empty/);
    expect(await box.refused("glob", { pattern: "{a,b}".repeat(20), limit: 9 })).toMatch(/more than 64/);
    await box.bash(
      `touch ${"a".repeat(250)}; touch $'new\\nline' $'\\377byte'; mkdir -p $(printf 'd/%.0s' $(seq 400))`,
    );
    const finds = async () => {
      expect((await find(`${"*a".repeat(30)}*b`)).paths).toEqual([]);
      expect((await find("d/**/nothing")).paths).toEqual([]);
      expect((await find("new*")).paths).toEqual(["new\\nline", "new/"]);
      expect((await find("*byte")).paths).toEqual(["\\xffbyte"]);
    };
    expect(await quickest(finds, 2_000)).toBeLessThan(2_000);
  });

  test.each([
    ["a thousand stars", `${"**/".repeat(1_000)}{${"x,".repeat(60)}y}`],
    ["all the states that a pattern can have", `${"**/a/".repeat(700)}{${"x,".repeat(60)}y}`],
  ])("leaves the resident time to answer with %s", async (_, pattern) => {
    await using alert = await ResidentContainer.start({ heartbeatMs: 700 });
    await alert.bash("for i in $(seq 300); do mkdir $i; done");
    const said = alert.call("glob", { pattern, limit: 9 }).then(
      ({ paths }) => paths,
      (error: Error) => error.message,
    );
    expect([[], "The search took longer than 20 s; narrow the pattern."]).toContainEqual(await said);
    expect((await alert.bash("echo there")).text).toBe("there\n");
  });
});

describe("grep", () => {
  const search = async (pattern: string, path_glob?: string, limit = 200) => {
    const args = { pattern, limit, skip: ["node_modules"], ...(path_glob === undefined ? {} : { path_glob }) };
    const { data, ...said } = await box.call("grep", args);
    return said as unknown as { lines: string[]; truncated: boolean };
  };

  test("gives path, line and text, with hidden and ignored files, without skipped folders and links out", async () => {
    await box.bash(
      "echo HIDDENHIT > .hid.cfg; echo ignored.log > .gitignore; echo IGNOREDHIT > ignored.log; echo /tmp > .rgignore",
    );
    expect((await search("^tw[o]$")).lines).toEqual(["data/three.txt:2: two"]);
    expect((await search("HIDDENHIT|IGNOREDHIT")).lines).toEqual([
      ".hid.cfg:1: HIDDENHIT",
      "ignored.log:1: IGNOREDHIT",
    ]);
    for (const pattern of ["NODEHIT", "secret", "gitdir"]) expect((await search(pattern)).lines).toEqual([]);
  });

  test("takes a path_glob or a folder's name, and takes neither it nor the pattern for an option", async () => {
    expect((await search("LEAF|two", "**/*.py")).lines).toEqual(["pkg/deep/leaf.py:1: LEAF = 1"]);
    expect((await search("LEAF|^two", "data")).lines).toEqual(["data/three.txt:2: two"]);
    expect((await search("LEAF|^two", "/workspace/pkg/")).lines).toEqual(["pkg/deep/leaf.py:1: LEAF = 1"]);
    for (const glob of [
      "./data/*.txt",
      "data//*.txt",
      "./data/three.txt",
      "/workspace/./data/**",
      "dat?/",
      "./data/",
    ]) {
      expect((await search("LEAF|^two", glob)).lines).toEqual(["data/three.txt:2: two"]);
    }
    for (const whole of ["./", "/workspace/", "/workspace", "."]) {
      expect((await search("ignored\\.log|^two", whole)).lines).toEqual([
        ".gitignore:1: ignored.log",
        "data/three.txt:2: two",
      ]);
    }
    expect((await search("LEAF|^two", "!pkg/**")).lines).toEqual(["data/three.txt:2: two"]);
    await write("dash.txt", "-dashed --pre=touch\n");
    expect((await search("-dashed")).lines).toEqual(["dash.txt:1: -dashed --pre=touch"]);
    expect((await search("--pre=touch")).lines).toEqual(["dash.txt:1: -dashed --pre=touch"]);
    expect((await search("x", "--pre=touch")).lines).toEqual([]);
    expect((await search("NODEHIT", "node_modules/**")).lines).toEqual([]);
  });

  test("refuses a bad pattern in ripgrep's words", async () => {
    expect(await box.refused("grep", { pattern: "(", limit: 9 })).toMatch(/^tool: (.|\n)*unclosed group/);
    expect(await box.refused("grep", { pattern: "x", path_glob: "{a", limit: 9 })).toMatch(/^tool: error parsing glob/);
    expect(await box.refused("grep", { pattern: "", limit: 9 })).toMatch(/pattern is empty/);
    expect(await box.refused("grep", { pattern: "x", path_glob: "../*", limit: 9 })).toMatch(/outside the workspace/);
  });

  test("is bounded in results and in the width of a line, and no file name breaks a line in two", async () => {
    await box.bash(`mkdir w; cd w; for i in $(seq 10 40); do yes NEEDLE | head -50 > f$i; done
      printf 'WIDE%0100000d\\n' 1 > wide; echo ODD > $'odd\\nname'; echo ODD > $'\\377odd'; (echo ODD; yes | head -c 200000; printf '\\0') > binary; echo ODD > c`);
    const many = await search("NEEDLE");
    expect(many).toMatchObject({ truncated: true });
    expect(many.lines).toHaveLength(200);
    expect(many.lines[0]).toBe("w/f10:1: NEEDLE");
    expect((await search("WIDE")).lines[0]?.length).toBeLessThan(600);
    expect((await search("ODD")).lines).toEqual([
      "w/binary:1: ODD",
      "w/c:1: ODD",
      "w/odd\\nname:1: ODD",
      "w/\\xffodd:1: ODD",
    ]);
  });

  test("goes on beside a command, and survives the kill at its end", async () => {
    await box.bash("mkdir many; cd many; for i in $(seq 3000); do echo line > m$i; done");
    const command = box.bash("sleep 500 & sleep 0.01");
    const found = await Promise.all([search("nothing-like-it"), search("^line$", "many/m17")]);
    expect(found[1].lines).toEqual(["many/m17:1: line"]);
    expect((await command).killed.join()).toMatch(/sleep 500/);
    expect(await box.alive()).toEqual([]);
  });
});

test("a root that its owner locked is opened again at the next call", async () => {
  await box.bash("chmod 000 .");
  expect((await read("data/three.txt")).size).toBe(13);
  expect((await box.bash("chmod 000 .; exit 0")).exit).toBe(0);
  expect((await box.bash("pwd")).text).toBe("/workspace\n");
});
