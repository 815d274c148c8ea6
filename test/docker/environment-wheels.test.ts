import { expect, test } from "vitest";
import { type Package, sharedEnvironments } from "../helpers/environments.js";

const { environment, environments } = await sharedEnvironments();

const link = 0o120777;
const everything = 0o106777;

/** A wheel with these contents; its file and data folders stand as they are installed. */
const wheel = (name: string, files: Record<string, string>, more: Partial<Package> = {}): Package => ({
  name,
  version: "1.0",
  files: { [`${name}.py`]: "", ...files },
  ...more,
});

const asking = (packages: readonly Package[], after: string) =>
  packages.map(({ name }) => ({ files: { "requirements.txt": `${name}\n` }, after }));

const code = "import os; open('/tmp/ran', 'a').write('ran')\n";
const starting = wheel("starting", {
  "starting.pth": code,
  "marked.pth": `\ufeff${code}`,
  "tabbed.pth": "inside\nimport\tos\n",
  "absolute.pth": "/tmp\n",
  "upwards.pth": "inside/../../..\n",
  "tilth-more.pth": "inside\n",
  "new.start": "starting:run\n",
  "sitecustomize.py": code,
  "usercustomize/__init__.py": code,
  "sitecustomize.cpython-399-x86_64-linux-gnu.so": "",
  "plain.pth": "# folders\ninside\n",
  "inside/found.py": "",
  "inside/usercustomize.py": code,
});

test("start-up code in a wheel is left out and reported, and folders of modules stay", async () => {
  const made = await environment([starting], {
    files: { "requirements.txt": "starting" },
    verify: true,
    after: `cd /tmp; /opt/tilth/env/bin/python -c "import found, starting; print('imported')"; ls /tmp
      cd /opt/tilth/env/lib/python3*/site-packages; ls *.pth *.start *customize* inside 2>/dev/null; mkdir -p /tmp/naive; cp -r . /tmp/naive
      printf "import os; open('/tmp/ran', 'a').write('ran')" > /tmp/naive/starting.pth
      /opt/tilth/venv/bin/python -c "import site; site.addsitedir('/tmp/naive')"; cat /tmp/ran`,
  });
  expect(made.result, made.errors).toMatchObject({
    ok: true,
    said: [
      "starting brings start-up code (absolute.pth, inside/usercustomize.py, marked.pth, new.start, sitecustomize.cpython-399-x86_64-linux-gnu.so, sitecustomize.py, starting.pth, tabbed.pth, tilth-more.pth, upwards.pth and usercustomize), which is left out.",
    ],
  });
  expect(made.after).toMatch(/^imported\n/);
  expect(made.after).toMatch(/\nplain\.pth\ntilth\.pth\n\ninside:\n__pycache__\nfound\.py\nran$/);
  expect(made.verified).toEqual({ digest: made.result.digest, differs: [] });
});

test("a wheel that replaces the interpreter or the environment's own files is refused", async () => {
  const packages = [
    wheel("script", { "@data@/scripts/python": "#!python\n" }),
    wheel("data", { "@data@/data/bin/python3": "#!/bin/sh\n" }),
    wheel("versioned", { "@data@/data/bin/python3.99": "#!/bin/sh\n" }),
    wheel("places", { "@data@/data/bin/python._pth": "/tmp\n" }),
    wheel("home", { "@data@/data/pyvenv.cfg": "home = /tmp\n" }),
    wheel("manifest", { "@data@/data/tilth.json": "{}" }),
    wheel("library", { "@data@/data/@lib@/os.py": "print('mine')" }),
    wheel("another", {}, { calls_itself: "something-else" }),
  ];
  const ran = await environments(packages, asking(packages, "ls -A /opt/tilth/env"));
  expect(ran.map(({ result, after }) => [result.ok, result.kind, result.problem, after])).toEqual([
    [false, "refused", expect.stringContaining("Scripts must not use the reserved name `python`"), ""],
    [false, "refused", expect.stringContaining("reserved name `python3`"), ""],
    [false, "refused", expect.stringContaining("python3.99"), ""],
    [false, "refused", expect.stringContaining("A package brings bin/python._pth"), ""],
    [false, "refused", expect.stringContaining("A package brings pyvenv.cfg"), ""],
    [false, "refused", expect.stringContaining("A package brings tilth.json"), ""],
    [false, "refused", expect.stringMatching(/^A package brings lib\/python3\.\d+\/os\.py/), ""],
    [false, "refused", expect.stringMatching(/`something-else` does not match given name `another`/), ""],
  ]);
});

test("a wheel that brings a part of what checks run with is refused, whoever lists it", async () => {
  const mine = "print('mine')\n";
  const pytest = wheel(
    "pytest",
    { "pytest/__init__.py": "", "_pytest/__init__.py": "", "py.py": "" },
    { version: "8.0" },
  );
  const packages = [
    wheel("whole", { "_pytest/__init__.py": mine }),
    wheel("module", { "pluggy.py": mine }),
    wheel("compiled", { "iniconfig.cpython-399-x86_64-linux-gnu.so": mine }),
    wheel("moved", { "@data@/purelib/packaging/version.py": mine }),
    wheel("over", {
      "_pytest/__init__.py": mine,
      "_pytest/over.py": mine,
      "@data@/purelib/pytest-8.0.dist-info/RECORD": "",
    }),
    wheel("beside", { "@data@/platlib/_pytest/more.py": mine }),
    wheel("honest", { "pytest_honest.py": "", "py/__init__.py": "", "honest/pluggy.py": "" }),
  ];
  const jobs = packages.map(({ name }) => ({
    files: { "requirements.txt": `${name}\n${/over|beside|honest/.test(name) ? "pytest==8.0\n" : ""}` },
    after: `ls -A /opt/tilth/env; cd /; /opt/tilth/env/bin/python -c 'import _pytest'; mkdir -p /tmp/naive/_pytest
      cd /tmp/naive; echo "print('mine')" > _pytest/__init__.py; /opt/tilth/venv/bin/python -c 'import _pytest'`,
  }));
  const ran = await environments([pytest, ...packages], jobs);
  expect(ran.map(({ result }) => [result.kind, result.problem])).toEqual([
    ["refused", "A package brings _pytest/__init__.py, which checks run with."],
    ["refused", "A package brings pluggy.py, which checks run with."],
    ["refused", "A package brings iniconfig.cpython-399-x86_64-linux-gnu.so, which checks run with."],
    ["refused", "A package brings packaging/version.py, which checks run with."],
    ["refused", expect.stringMatching(/^A package brings _pytest\/(?:__init__|over)\.py, which checks run with\.$/)],
    ["refused", "A package brings _pytest/more.py, which checks run with."],
    [undefined, undefined],
  ]);
  expect(ran.at(-1)?.after).toBe("bin\nlib\npyvenv.cfg\ntilth.json\nmine\n");
});

test("no file of a wheel lands outside of the environment, is a link, or keeps a special mode", async () => {
  const packages = [
    wheel("climbing", {
      "../../../../../../tmp/climbed": "",
      "@data@/data/../../../../tmp/climbed": "",
      "/tmp/climbed": "",
    }),
    wheel("linking", { away: "/etc/passwd" }, { modes: { away: link } }),
    wheel(
      "special",
      { "@data@/scripts/run": "#!/bin/sh\n" },
      { modes: { "special.py": everything, "special-1.0.data/scripts/run": everything } },
    ),
    wheel("honest", {
      "@data@/data/share/doc/honest.txt": "read me",
      "@data@/scripts/honest": "#!python\nprint('honest')\n",
    }),
  ];
  const look = `ls /tmp; cd /opt/tilth/env; find . -mindepth 1 -perm /7022 ! -type l; find . -type l ! -path './bin/python*'
    cat share/doc/*; bin/honest; find . ! -type l ! -perm -444`;
  const ran = await environments(packages, asking(packages, look));
  expect(ran.map(({ result }) => result.ok)).toEqual([true, true, true, true]);
  expect(ran.map(({ after }) => after.replaceAll(/^.*No such file.*\n/gm, ""))).toEqual([
    "",
    "",
    "",
    "read mehonest\n",
  ]);
});

test("verifying an environment byte by byte names a change, an addition, a loss and a new link", async () => {
  const verify = "/opt/tilth/venv/bin/python -I /opt/tilth/environment/__main__.py verify";
  const made = await environment([wheel("alpha", { "beta.py": "one = 1\n" })], {
    files: { "requirements.txt": "alpha" },
    after: `cd /opt/tilth/env; ${verify}; echo 'one = 2' > lib/python3*/site-packages/beta.py; touch lib/more.py
      rm lib/python3*/site-packages/alpha.py; ln -sf /bin/true bin/python3; mkdir share; ${verify}; rm tilth.json; ${verify}`,
  });
  const [honest = "", spoilt = "", gone = ""] = made.after.split("\n");
  expect(JSON.parse(honest)).toEqual({ digest: made.result.digest, differs: [] });
  const site = expect.stringMatching(/^lib\/python3\.\d+\/site-packages\/(alpha|beta)\.py$/);
  expect(JSON.parse(spoilt)).toEqual({
    digest: made.result.digest,
    differs: ["bin/python3", "lib/more.py", site, site, "share"],
  });
  expect(JSON.parse(gone)).toEqual({ digest: "", differs: ["tilth.json"] });
});
