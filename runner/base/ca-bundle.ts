import { readFileSync } from "node:fs";
import { TilthError } from "./errors.js";

/** Reads the certificates that a person names in SSL_CERT_FILE; the file may be a link. */
export function readCaBundle(file: string | null): Buffer | null {
  if (file === null) return null;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new TilthError("usage", `cannot read the CA bundle ${file}`, "correct or unset SSL_CERT_FILE", error);
  }
}
