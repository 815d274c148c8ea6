import { gzipSync } from "node:zlib";
import { completionOf } from "../../runner/demo/completion.js";
import type { SpokenTurn } from "../../runner/demo/script/script.js";

/** The head of an answer with status 200 and a body of that length. */
export const headOf = (length: number, more = "") =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${more}\r\n`;

/** A completion from a server that closes the connection to mark its end. */
export function oldAnswer(turn: SpokenTurn): string {
  return `HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${bodyOf(turn)}`;
}

/** The body of a completion, with some of its fields replaced. */
export function bodyOf(turn: SpokenTurn, fields: object = {}): string {
  let ids = 0;
  return JSON.stringify({ ...completionOf(turn, "scripted-worker", () => ++ids), ...fields });
}

/** 40 MB of zeros compressed to 40 KB, sent even to clients that ask for no compression. */
export function bomb(): Buffer {
  const body = gzipSync(Buffer.alloc(40 * 1024 * 1024));
  return Buffer.concat([Buffer.from(headOf(body.length, "content-encoding: gzip\r\nconnection: close\r\n")), body]);
}
