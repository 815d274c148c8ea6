/** Labels of everything of ours on an engine. */
export const labels = {
  session: "tilth.session",
  role: "tilth.role",
  owner: "tilth.owner",
  environment: "tilth.environment",
} as const;

export function repoVolumeOf(session: string): string {
  return `tilth-${session}-repo`;
}
