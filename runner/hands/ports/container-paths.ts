/** Paths inside every container. */
export const containerPaths = {
  workspace: "/workspace",
  repo: "/repo",
  home: "/home/tilth",
  scratchGit: "/home/tilth/.scratch.git",
  /** compiled: reading its source would take nearly as long as the rest of its start */
  resident: "/opt/tilth/resident/__main__.pyc",
  python: "/opt/tilth/python",
  tools: "/opt/tilth/venv/bin",
  environment: "/opt/tilth/env",
} as const;

/** The Python that checks run with: the environment's if there is an environment, else the image's own tools. */
export function checkPython(environment: boolean): string {
  return environment ? `${containerPaths.environment}/bin/python` : `${containerPaths.tools}/python`;
}
