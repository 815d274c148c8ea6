import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checkRequests, runReport, suiteLine, testRuns, zygoteMessages } from "../runner/hands/pipe/wire/check.js";
import { buildOrder, buildStart, talkLine, verified } from "../runner/hands/pipe/wire/environment.js";
import { commandEnd, operations } from "../runner/hands/pipe/wire/operations.js";
import { callHead, done, hello, kinds, magicLine, refused, sizes } from "../runner/hands/pipe/wire/protocol.js";
import { literals, PythonTypes, typedDict, typedDictClass } from "./python-types.js";

/** Renders the types of Python's side of the wire, by path. */
export function renderWire(): Readonly<Record<string, string>> {
  return {
    "images/hands/resident/wire.py": residentWire(),
    "images/hands/check/wire/shapes.py": checkWire(),
    "images/hands/environment/wire.py": environmentWire(),
  };
}

function residentWire(): string {
  const types = new PythonTypes();
  for (const shape of [hello, callHead, done, refused, commandEnd, ...Object.values(zygoteMessages)])
    types.typeOf(shape);
  const names = [...new Set(Object.values(operations).map(({ op }) => op))];
  const performers = names.map((name) => {
    const all = Object.values(operations).filter(({ op }) => op === name);
    const args = all.map((operation) => types.typeOf(operation.args)).join(" | ");
    const reply = all.map((operation) => types.typeOf(operation.reply)).join(" | ");
    return [name, `Callable[[Call, ${args}], Awaitable[${reply}]]`] as const;
  });
  return moduleOf("what goes over the wire between the brain and the resident", [
    typedDict("Kinds", numbersOf(kinds)),
    typedDict("Sizes", numbersOf(sizes)),
    `Magic = Literal[b${JSON.stringify(magicLine)}]`,
    ...types.definitions,
    'T = TypeVar("T")\nCall = TypeVar("Call")',
    typedDictClass(
      "EachOperation",
      "TypedDict, Generic[T]",
      names.map((name) => [name, "T"]),
    ),
    typedDictClass("Performers", "TypedDict, Generic[Call], total=False", performers),
  ]);
}

function checkWire(): string {
  const types = new PythonTypes();
  for (const shape of [...Object.values(zygoteMessages), runReport, suiteLine]) types.typeOf(shape);
  const answers = Object.values(checkRequests).map((request) => {
    const given = [request.payload, request.input].map((shape) => types.typeOf(shape)).join(", ");
    return [request.do, `Callable[[${given}], ${types.typeOf(request.report)}]`] as const;
  });
  const runs = Object.values(testRuns).map((request) => {
    types.typeOf(request.input);
    types.typeOf(request.report);
    return [request.do, `Callable[[${types.typeOf(request.payload)}, bytes, int], None]`] as const;
  });
  const names = [...answers, ...runs].map(([name]) => name);
  return moduleOf("requests to the process that checks fork from, and of their reports", [
    ...types.definitions,
    typedDict("AnyPayload", [["do", literals(names)]]),
    typedDict("Answers", answers),
    typedDict("Runs", runs),
  ]);
}

function environmentWire(): string {
  const types = new PythonTypes();
  for (const shape of [buildOrder, buildStart, talkLine, verified]) types.typeOf(shape);
  return moduleOf("the order that a build reads, and of what it prints", types.definitions);
}

function numbersOf(numbers: Readonly<Record<string, number>>) {
  return Object.entries(numbers).map(([name, value]) => [name, literals([value])] as const);
}

function moduleOf(subject: string, parts: readonly string[]): string {
  const text = parts.join("\n");
  const used = (names: readonly string[]) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).join(", ");
  return `"""Types of ${subject}.

Written from \`runner/hands/pipe/wire/\` by \`npm run wire\`; do not edit. It is read by type checkers alone: when the
programs run, nothing imports it."""

from __future__ import annotations

${text.includes("Callable") ? `from collections.abc import ${used(["Awaitable", "Callable"])}\n` : ""}from typing import ${used(["Generic", "Literal", "NotRequired", "TypedDict", "TypeVar"])}

${text}
`;
}

const script = fileURLToPath(import.meta.url);
if (process.argv[1] === script)
  for (const [path, text] of Object.entries(renderWire())) writeFileSync(new URL(`../${path}`, import.meta.url), text);
