import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { type CommitId, commitId, type TreeId, treeId } from "../../runner/base/ids.js";

export interface ForgedCommit {
  readonly commit: CommitId;
  readonly tree: TreeId;
  readonly pack: () => AsyncGenerator<Uint8Array>;
}

const typeNumbers = { commit: 1, tree: 2, blob: 3 } as const;
type Type = keyof typeof typeNumbers;

/** A commit of one file on `parent`, and its pack, made without starting a git. */
export function forgedCommit(parent: CommitId, content: string): ForgedCommit {
  const blob = Buffer.from(content);
  const tree = Buffer.concat([Buffer.from("100644 a.txt\0"), Buffer.from(idOf("blob", blob), "hex")]);
  const who = "Ada <ada@example.org> 1700000000 +0000";
  const treeOid = idOf("tree", tree);
  const lines = [`tree ${treeOid}`, `parent ${parent}`, `author ${who}`, `committer ${who}`, "", "forged\n"];
  const commit = Buffer.from(lines.join("\n"));
  const bytes = packOf([
    ["commit", commit],
    ["tree", tree],
    ["blob", blob],
  ]);
  return {
    commit: commitId(idOf("commit", commit)),
    tree: treeId(treeOid),
    pack: async function* () {
      yield bytes;
    },
  };
}

function idOf(type: Type, content: Buffer): string {
  return createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
}

function packOf(objects: readonly (readonly [Type, Buffer])[]): Buffer {
  const head = Buffer.alloc(12);
  head.write("PACK");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const body = objects.flatMap(([type, content]) => [entryHead(type, content.length), deflateSync(content)]);
  const whole = Buffer.concat([head, ...body]);
  return Buffer.concat([whole, createHash("sha1").update(whole).digest()]);
}

/** Four bits of the size stand beside the type, then seven in each further byte. */
function entryHead(type: Type, size: number): Buffer {
  const bytes = [(typeNumbers[type] << 4) | (size & 15)];
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest & 0x7f);
  }
  return Buffer.from(bytes);
}
