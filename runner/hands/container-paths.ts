/** Where things stand inside every container. */
export const containerPaths = {
  workspace: "/workspace",
  repo: "/repo",
  home: "/home/tilth",
  scratchGit: "/home/tilth/.scratch.git",
  /** compiled: reading its source would take nearly as long as all else that it does to start */
  runner: "/opt/tilth/runner.pyc",
  python: "/opt/tilth/python",
  tools: "/opt/tilth/venv/bin",
  environment: "/opt/tilth/env",
} as const;

/** What checks run with: the environment's Python where there is an environment, else the image's own tools. */
export function checkPython(environment: boolean): string {
  return environment ? `${containerPaths.environment}/bin/python` : `${containerPaths.tools}/python`;
}
