import { containerPaths } from "../../ports/container-paths.js";

/**
 * The whole environment of a worker's command: the image's variables, and ours. Caches and bytecode stay out of the
 * worktree, nothing asks a question, and git has an identity for the scratch repository. With `environment` the
 * project's is mounted, and its programs come first.
 */
export function workEnv(imageEnv: Readonly<Record<string, string>>, environment = false): Record<string, string> {
  const path = (imageEnv.PATH ?? "/usr/local/bin:/usr/bin:/bin").split(":");
  const first = [...(environment ? [`${containerPaths.environment}/bin`] : []), containerPaths.tools];
  return {
    ...imageEnv,
    PATH: [...first, ...path.filter((folder) => !first.includes(folder))].join(":"),
    ...(environment ? { VIRTUAL_ENV: containerPaths.environment } : {}),
    HOME: containerPaths.home,
    USER: "tilth",
    LANG: "C.UTF-8",
    TERM: "dumb",
    TMPDIR: "/tmp",
    XDG_CACHE_HOME: "/tmp/.cache",
    PYTHONDONTWRITEBYTECODE: "1",
    PYTEST_ADDOPTS: "-p no:cacheprovider",
    RUFF_NO_CACHE: "true",
    MYPY_CACHE_DIR: "/tmp/.mypy_cache",
    HYPOTHESIS_STORAGE_DIRECTORY: "/tmp/.hypothesis",
    COVERAGE_FILE: "/tmp/.coverage",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "worker",
    GIT_AUTHOR_EMAIL: "worker@localhost",
    GIT_COMMITTER_NAME: "worker",
    GIT_COMMITTER_EMAIL: "worker@localhost",
  };
}
