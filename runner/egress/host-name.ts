const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** is read as an address, in more ways than one */
const numeric = /^(\d+|0x[0-9a-f]*)$/;

/** In the one spelling in which names are compared; null for what is none. */
export function hostName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, "");
  const labels = name.split(".");
  if (name.length > 253 || !labels.every((one) => label.test(one))) return null;
  return numeric.test(labels.at(-1) ?? "") ? null : name;
}
