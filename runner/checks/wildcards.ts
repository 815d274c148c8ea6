const agrees =
  /\b(equals?|compares? equal|match(es)?|accepts?|takes?|holds?|contains?|stands? for|instances?|(before|after|less|greater|more) than|between)\b/i;
const everything = /\b(any|anything|every|everything|all|whatever)\b/i;

/** Tells whether one sentence of a task asks a named class to agree with everything, as a wildcard does. */
export function isWildcard(name: string, taskTexts: readonly string[]): boolean {
  if (!/^\w+$/.test(name)) return false;
  const named = new RegExp(`\\b${name}\\b`);
  const sentences = taskTexts.flatMap((text) => text.split(/(?<=[.;!?])\s|\n/));
  return sentences.some(
    (said) => named.test(said) && (/\bwild ?cards?\b/i.test(said) || (agrees.test(said) && everything.test(said))),
  );
}
