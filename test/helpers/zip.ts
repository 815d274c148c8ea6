import { crc32, deflateRawSync } from "node:zlib";

interface Packing {
  /** without it nothing is compressed */
  readonly deflated?: boolean;
}

/** An archive of paths and texts. */
export function zipOf(files: Readonly<Record<string, string>>, { deflated = false }: Packing = {}): Buffer {
  const entries: { local: Buffer; central: Buffer }[] = [];
  let at = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [Buffer.from(path), Buffer.from(text)];
    const shared = Buffer.alloc(26);
    const packed = deflated ? deflateRawSync(data) : data;
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(deflated ? 8 : 0, 4);
    shared.writeUInt32LE(0x21_0000, 6);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(0o100_644 * 2 ** 16, 6);
    tail.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), shared, name, packed]);
    const made = Buffer.from("PK\x01\x02\x14\x03", "latin1");
    entries.push({ local, central: Buffer.concat([made, shared, tail, name]) });
    at += local.length;
  }
  const central = Buffer.concat(entries.map((entry) => entry.central));
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...entries.map(({ local }) => local), central, Buffer.from("PK\x05\x06", "latin1"), end]);
}
