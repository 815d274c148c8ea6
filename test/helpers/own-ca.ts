import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

export interface Certified {
  /** the key as PEM */
  readonly key: string;
  readonly cert: string;
}

/** An authority that nobody trusts, and certificates from it. */
export class OwnCa {
  readonly pem: string;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });

  constructor(readonly name = "tilth test authority") {
    const basicConstraints = extension("551d13", sequence(Buffer.from("0101ff", "hex")));
    this.pem = this.#certificate(name, this.#keys.publicKey, basicConstraints);
  }

  for(host: string): Certified {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const alternativeName = extension("551d11", sequence(tagged(0x82, Buffer.from(host))));
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    return { key, cert: this.#certificate(host, publicKey, alternativeName) };
  }

  #certificate(subject: string, key: KeyObject, extensions: Buffer): string {
    const algorithm = sequence(tagged(0x06, Buffer.from("2a8648ce3d040302", "hex")));
    const year = new Date().getUTCFullYear();
    const validity = sequence(time(`${year - 1}`), time(`${year + 1}`));
    const content = sequence(
      tagged(0xa0, tagged(0x02, Buffer.from([2]))),
      tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
      algorithm,
      named(this.name),
      validity,
      named(subject),
      key.export({ type: "spki", format: "der" }),
      tagged(0xa3, sequence(extensions)),
    );
    const signature = sign("sha256", content, this.#keys.privateKey);
    const whole = sequence(content, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
    const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
    return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
  }
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 255]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function named(commonName: string): Buffer {
  const attribute = sequence(tagged(0x06, Buffer.from("550403", "hex")), tagged(0x0c, Buffer.from(commonName)));
  return sequence(tagged(0x31, attribute));
}

function time(year: string): Buffer {
  return tagged(0x18, Buffer.from(`${year}0101000000Z`));
}

function extension(oid: string, value: Buffer): Buffer {
  return sequence(tagged(0x06, Buffer.from(oid, "hex")), tagged(0x04, value));
}
