const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** such a last label makes the whole name an address, which programs read in several ways */
const numeric = /^(\d+|0x[0-9a-f]*)$/;

/** Returns a name in the spelling in which names are compared, or null for a text that is no host name. */
export function hostName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, "");
  const labels = name.split(".");
  if (name.length > 253 || !labels.every((one) => label.test(one))) return null;
  return numeric.test(labels.at(-1) ?? "") ? null : name;
}
