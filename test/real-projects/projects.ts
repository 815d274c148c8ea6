import type { Archive } from "./archive.js";

export interface RealProject extends Archive {
  readonly version: string;
  /** the kind of project it stands for */
  readonly example: string;
  /** the folder of its own tests, from its root */
  readonly suite: string;
  /** tests that are not run, here or there */
  readonly without?: { readonly tests: string; readonly because: string };
  /** a slip in its own code that its own tests catch */
  readonly mutant: { readonly path: string; readonly from: string; readonly to: string };
  readonly task: { readonly module: string; readonly source: string; readonly test: string };
}

/** A module that tells the project's version and that of one of its dependencies; `head` is what its linter asks for. */
function describes(name: string, folder: string, dependency: string, head = ""): RealProject["task"] {
  const names = `["${name}", "${dependency}"]`;
  const module = `${folder}/described.py`;
  const imported = folder.replace(/^src\//, "").replaceAll("/", ".");
  return {
    module,
    source: `${head}"""What is installed."""

from __future__ import annotations

from importlib.metadata import version


def described() -> str:
    """Names with their versions."""
    names = ${names}
    return ", ".join(f"{name} {version(name)}" for name in names)
`,
    test: `import importlib.metadata

from ${imported}.described import described


def test_described():
    names = ${names}
    assert described() == ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
`,
  };
}

const notice = "# Copyright 2026 its authors\n\n";

export const projects: readonly RealProject[] = [
  {
    ...{ name: "attrs", version: "26.1.0", file: "attrs-26.1.0.tar.gz" },
    sha256: "d03ceb89cb322a8fd706d4fb91940737b6642aa36998fe130a9bc96c985eff32",
    example: "`uv.lock`; `src/` layout",
    suite: "tests",
    mutant: {
      path: "src/attr/_funcs.py",
      from: "generic_attrs is not None\n    return False",
      to: "generic_attrs is None\n    return False",
    },
    task: describes("attrs", "src/attr", "hypothesis", notice),
  },
  {
    ...{ name: "filelock", version: "3.20.4", file: "filelock-3.20.4.tar.gz" },
    sha256: "92b98bb6be1a4e6c1b00f8aedae011c6e2d367c195000a049daa34f554af3d94",
    example: "a dependency (virtualenv) requires the project itself; a dev group that needs a newer Python",
    suite: "tests",
    mutant: {
      path: "src/filelock/_api.py",
      from: "return self._context.lock_file_fd is not None",
      to: "return self._context.lock_file_fd is None",
    },
    task: describes("filelock", "src/filelock", "virtualenv"),
  },
  {
    ...{ name: "jaraco.functools", version: "4.6.0", file: "jaraco_functools-4.6.0.tar.gz" },
    sha256: "880c577ec9720b3a052d5bc611fb9f2269b3d87902ef42440df443b88e443280",
    example: "namespace package, of which a dependency brings another part; doctests",
    suite: ".",
    without: { tests: "test_functools.py::TestThrottler::test_function_throttled", because: "measures time" },
    mutant: { path: "jaraco/functools/__init__.py", from: "f1(f2(*args, **kwargs))", to: "f2(f1(*args, **kwargs))" },
    task: describes("jaraco.functools", "jaraco/functools", "more-itertools"),
  },
  {
    ...{ name: "structlog", version: "26.1.0", file: "structlog-26.1.0.tar.gz" },
    sha256: "f63a716cbd1b1291cf7661de7794b455acfa4c43c5bcf1630e6ad5ddc1adb3b7",
    example: "pytest plugins that its configuration needs; version from its metadata",
    suite: "tests",
    mutant: {
      path: "src/structlog/contextvars.py",
      from: "ctx.update(structlog.get_context(bound_logger))",
      to: "structlog.get_context(bound_logger).update(ctx)",
    },
    task: describes("structlog", "src/structlog", "simplejson", notice),
  },
  {
    ...{ name: "uncertainties", version: "3.2.3", file: "uncertainties-3.2.3.tar.gz" },
    sha256: "76a5653e686f617a42922d546a239e9efce72e6b35411b7750a1d12dcba03031",
    example: "compiled wheels (numpy, scipy)",
    suite: "tests",
    mutant: {
      path: "uncertainties/core.py",
      from: "return x.nominal_value\n    else:\n        return x\n",
      to: "return x.std_dev\n    else:\n        return x\n",
    },
    task: describes("uncertainties", "uncertainties", "numpy"),
  },
  {
    ...{ name: "mozilla-version", version: "3.2.1", file: "mozilla_version-3.2.1.tar.gz" },
    sha256: "76ddd4a9f7063063da3016af5ad8af76c3e7d7a958e5636bea51261dc6659649",
    example: "hashed requirements; `setup.py` only",
    suite: "mozilla_version/test",
    without: { tests: "mozilla_version/test/integration", because: "fetches from other hosts" },
    mutant: { path: "mozilla_version/version.py", from: "self._compare(other) < 0", to: "self._compare(other) < -1" },
    task: describes("mozilla-version", "mozilla_version", "attrs"),
  },
  {
    ...{ name: "humanize", version: "4.17.0", file: "humanize-4.17.0.tar.gz" },
    sha256: "1d6a36c453dbfbb3f0b34601d2e0b4ce5d48d780305cd45714843f0068fde6ac",
    example: "dynamic version, from `PKG-INFO`; warnings are errors",
    suite: "tests",
    mutant: { path: "src/humanize/filesize.py", from: "if abs_bytes < base:", to: "if abs_bytes <= base:" },
    task: describes("humanize", "src/humanize", "freezegun"),
  },
  {
    ...{ name: "itsdangerous", version: "2.2.0", file: "itsdangerous-2.2.0.tar.gz" },
    sha256: "e0050c0b7da1eea53ffaf149c0cfbb5c6e2e2b69c4bef22c81fa6eb73e5f6173",
    example: "pinned files in `requirements/`",
    suite: "tests",
    mutant: { path: "src/itsdangerous/encoding.py", from: '.rstrip(b"=")', to: '.lstrip(b"=")' },
    task: describes("itsdangerous", "src/itsdangerous", "freezegun"),
  },
  {
    ...{ name: "requests-mock", version: "1.12.1", file: "requests-mock-1.12.1.tar.gz" },
    sha256: "e9e12e333b525156e82a3c852f22016b9158220d2f47454de9cae8a77d371401",
    example: "`requirements.txt` with `test-requirements.txt`; is a pytest plugin itself",
    suite: "tests",
    mutant: { path: "requests_mock/request.py", from: "return 443", to: "return 444" },
    task: describes("requests-mock", "requests_mock", "requests"),
  },
  {
    ...{ name: "markdown-it-py", version: "4.3.0", file: "markdown_it_py-4.3.0.tar.gz" },
    sha256: "91a58fa5b72c71a40cf7177250fd767480d7a2bb3ac426ccfb76fb90305fdaaa",
    example: "flat layout, flit, an extra named testing; a console script",
    suite: "tests",
    mutant: { path: "markdown_it/common/utils.py", from: 'raw.replace("<", "&lt;")', to: 'raw.replace("<", "&gt;")' },
    task: describes("markdown-it-py", "markdown_it", "mdurl"),
  },
  {
    ...{ name: "pytest-mock", version: "3.17.0", file: "pytest_mock-3.17.0.tar.gz" },
    sha256: "e36576e0985e01027e999891e7a966c67822d40c89ef1b4c8b6e22737e3590b4",
    example: "a pytest plugin that tests itself",
    suite: "tests",
    mutant: {
      path: "src/pytest_mock/_util.py",
      from: '"false":\n        return False',
      to: '"false":\n        return True',
    },
    task: describes("pytest-mock", "src/pytest_mock", "pytest-asyncio"),
  },
  {
    ...{ name: "svcs", version: "26.2.0", file: "svcs-26.2.0.tar.gz" },
    sha256: "129efb89586c2c52295ee00b00562af7d85d5535dad149534993e25fccbd76a6",
    example: "`uv.lock` of many web frameworks",
    suite: "tests",
    mutant: {
      path: "src/svcs/_core.py",
      from: "return svc_type in self._services",
      to: "return svc_type not in self._services",
    },
    task: describes("svcs", "src/svcs", "attrs"),
  },
];
