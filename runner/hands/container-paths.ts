/** Where things stand inside every container. */
export const containerPaths = {
  workspace: "/workspace",
  repo: "/repo",
  home: "/home/tilth",
  scratchGit: "/home/tilth/.scratch.git",
  runner: "/opt/tilth/runner.py",
  python: "/opt/tilth/python",
  tools: "/opt/tilth/venv/bin",
} as const;
