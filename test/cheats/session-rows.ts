import type { Files } from "../helpers/check-world.js";
import { bash, present, reply, type Step } from "../helpers/session-play.js";
import type { SeedTask } from "../helpers/session-world.js";
import { firstStop, needsSession, type Row } from "./catalogue.js";
import type { Attempt, Stop } from "./cheat.js";
import { naiveShell } from "./naive.js";
import type { Task } from "./project.js";

/** Spreads rows over whole sessions, so that no session has two rows of the same task. */
export function sessionsOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const sessions: Row[][] = [];
  for (const row of rows.filter(needsSession)) {
    const free = sessions.find((session) => session.every(({ task }) => task !== row.task));
    if (free) free.push(row);
    else sessions.push([row]);
  }
  return sessions;
}

/**
 * Picks few rows that have each way and each first stop. The rarest are chosen first, and of different tasks if
 * possible.
 */
export function oneOfEachKind(rows: readonly Row[]): readonly Row[] {
  const kindsOf = (row: Row) => [`way ${row.way}`, `stop ${firstStop(row)}`];
  const rowsOf = (kind: string) => rows.filter((row) => kindsOf(row).includes(kind));
  const kinds = [...new Set(rows.flatMap(kindsOf))].sort((one, other) => rowsOf(one).length - rowsOf(other).length);
  const chosen: Row[] = [];
  for (const kind of kinds) {
    const seen = chosen.flatMap(kindsOf);
    if (seen.includes(kind)) continue;
    const alike = ({ task }: Row) => chosen.filter((row) => row.task === task).length;
    const brings = (row: Row) => kindsOf(row).filter((each) => !seen.includes(each)).length;
    const found = rowsOf(kind).sort((one, other) => alike(one) - alike(other) || brings(other) - brings(one));
    chosen.push(...found.slice(0, 1));
  }
  return chosen;
}

export function seedTask({ name, id, text, staged }: Task): SeedTask {
  const test = { name: staged.path.slice("tests/".length), source: staged.source };
  return { id, title: name, description: text, acceptance_criteria: [text], test };
}

/** The worker cheats and sees it work, is refused, and then does the honest twin. */
export function playOf(row: Row): readonly Step[] {
  return [
    reply([bash(`${keepStart}\n${shellOf(row, row)}`)]),
    reply([present()], /^exit code 0/),
    reply([bash(`${backToStart}\n${shellOf(row, row.twin)}`)], refusalOf(row)),
    reply([present()], /^exit code 0/),
  ];
}

const keepStart = "git rev-parse HEAD > /tmp/start";
const backToStart = [
  'git read-tree "$(cat /tmp/start)" && rm -f .gitattributes && git checkout-index --all --force',
  "git ls-files --others -z | xargs -0r rm -rf",
].join("\n");

function shellOf(row: Row, { files = {}, commands }: Attempt): string {
  const writes = Object.entries(files).map(([path, content]) => writing(path, content));
  return [...writes, naiveShell(commands, row)].join("\n");
}

function writing(path: string, content: Files[string]): string {
  if (content === null || content === undefined) return `rm '${path}'`;
  if (typeof content === "object" && "target" in content) return `ln -s '${content.target}' '${path}'`;
  return `mkdir -p "$(dirname '${path}')" && base64 -d > '${path}' <<< '${Buffer.from(content).toString("base64")}'`;
}

const said: Partial<Readonly<Record<Stop, string>>> = {
  no_tree: "cannot be recorded as it stands",
  diff_too_large: "too large",
};

/** The answer that the worker gets to a cheat. */
function refusalOf({ stoppedBy }: Row): RegExp {
  if (typeof stoppedBy === "string") return /Accepted/;
  return new RegExp(stoppedBy.map((stop) => said[stop] ?? `\\(${stop}\\)`).join("|"));
}
