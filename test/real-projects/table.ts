import type { ProjectReport } from "./run.js";

const about = `# Real projects

Published projects as they are: \`npm run real-projects\` fetches their source archives from the package index, puts each into git, and
takes it with a scripted model from \`tilth seed\` through one task to its commit. Nothing is set but a longer time for the worker's
commands (\`TILTH_TOOL_TIMEOUT_SECONDS\`). On the way the worker runs the project's own tests. The same tests run in an ordinary virtual
environment: the packages of the session's \`environment.lock\`, the project installed with \`uv pip install --no-deps -e\`, in a container of
the same image with the host's network. Every single test must have the same outcome in both. With names behind \`--\` it runs those only;
without, it writes this page.

The times of \`seed\` are of the first session, which makes the environment, and of a second one, which finds it. They were taken on a busy
machine with two cores, its package index far away.
`;

const head = ["project", "an example of", "dependency files taken", "packages", "seed: first, second", "its own tests"];
const ratchet = `
The project's own tests are [held](own-tests.md). The worker first presents its task with a slip elsewhere in the project's code, one line, and is
refused; then without it, and is accepted.
`;
const headOfHeld = ["project", "what `seed` says of its tests", "the slip", "caught by"];

/** The text of docs/real-projects.md. */
export function tableOf(found: readonly ProjectReport[]): string {
  const rows = found.map(({ project, taken, packages, seconds, tilth, plain }) => [
    `${project.name} ${project.version}`,
    project.example,
    taken.map((each) => `\`${each}\``).join(", "),
    String(packages),
    seconds.map((each) => `${each.toFixed(0)} s`).join(", "),
    tilth === plain ? `${tilth}, in both` : `tilth: ${tilth}; virtual environment: ${plain}`,
  ]);
  const left = found.flatMap(({ project }) =>
    project.without === undefined
      ? []
      : [`- ${project.name}: \`${project.without.tests}\`, which ${project.without.because}`],
  );
  const said = found.flatMap(({ project, said }) => said.map((line) => `- ${project.name}: ${line}`));
  return [
    about,
    ...[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`),
    ratchet,
    ...[headOfHeld, headOfHeld.map(() => "---"), ...found.map(heldRow)].map((cells) => `| ${cells.join(" | ")} |`),
    ...["", "Left out of both runs:", "", ...left],
    ...["", "What `seed` said of these environments:", "", ...said, ""],
  ].join("\n");
}

function heldRow({ project: { name, version, mutant }, held }: ProjectReport): readonly string[] {
  const [first = "", ...more] = held.caughtBy;
  const code = (text: string) => `\`${text.trim().replaceAll("|", "\\|")}\``;
  const [was, is] = [mutant.from.split("\n"), mutant.to.split("\n")];
  const other = was.findIndex((line, at) => line !== is[at]);
  return [
    `${name} ${version}`,
    held.said.replaceAll("|", "\\|"),
    `${code(was[other] ?? "")} → ${code(is[other] ?? "")} in \`${mutant.path}\``,
    `${code(first)}${more.length > 0 ? ` and ${more.length} more` : ""}`,
  ];
}
