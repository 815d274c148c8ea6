/** Python and its tools leave these beside the code; no untracked file or folder so named enters a tree. */
export const ignoredNames = [
  ".venv",
  "__pycache__",
  ".pytest_cache",
  ".ruff_cache",
  ".mypy_cache",
  "*.pyc",
  ".hypothesis",
  ".coverage",
] as const;

/** Folders that glob and grep pass over. */
export const skippedFolders = [
  ".git",
  ".venv",
  "venv",
  "site-packages",
  "node_modules",
  "__pycache__",
  ".cache",
  ".pytest_cache",
  ".ruff_cache",
  ".mypy_cache",
  ".hypothesis",
  ".tox",
  ".nox",
  ".eggs",
] as const;
