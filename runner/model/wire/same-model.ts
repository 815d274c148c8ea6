/** Words that providers add to a name without meaning another model: a channel, a date, a version. */
const further = /^(latest|preview|exp|beta|free|extended|nitro|floor|online|v\d+|\d{2,})$/;

/** Tells whether an answer's model name means the model asked for: with or without its vendor, or more exact. */
export function isSameModel(asked: string, answered: string): boolean {
  return bare(asked) === bare(answered);
}

function bare(name: string): string {
  const words = (name.trim().toLowerCase().split("/").at(-1) ?? "").split(/[-@:_]/);
  const last = words.findLastIndex((word) => !further.test(word));
  return words.slice(0, last + 1).join("-");
}
