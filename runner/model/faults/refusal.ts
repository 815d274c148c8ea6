/** A part of a request that an endpoint will not take, according to its error text. */
export interface Refusal {
  /** in the endpoint's spelling: a name, or a path such as `messages[2].reasoning_content` */
  readonly named: readonly string[];
  /** a value was out of bounds, not the parameter unknown */
  readonly ofValue: boolean;
  /** this model takes tools here only with its reasoning switched off, even if the request set no effort */
  readonly ofToolsWithEffort: boolean;
}

const speaksOfParameters = new Set([400, 422]);
/** An error body may be as long as a reply. */
const longestLook = 16_000;

const name = "[A-Za-z_][\\w.[\\]-]{0,199}";
const quoted = `["'\`‘“([]{0,4}${name}["'\`’”)\\]]{0,4}`;
const between = "(?:\\s*,\\s*(?:and |or )?| and | or )";
const names = `${quoted}(?:${between}${quoted}){0,19}`;
const thing = "(?:parameter|param|argument|field|property|key|name|value)s?\\b";
const complaints = [
  "(?:is|are|was|were) (?:not (?:supported|permitted|allowed|recogni[sz]ed)|unsupported|deprecated|unexpected|too large)",
  "extra (?:inputs|fields) (?:are )?not permitted",
  "is not a valid field",
  "(?:value )?(?:is not|must be|should be|expected) one of",
  "(?:must|should) be (?:less than|greater than|at most|at least|between|in the range|non-negative)",
  "(?:may|can) only be set",
  "range: ?-?\\d",
  "\\d+ > \\d+, which is the maximum",
  "value of \\S{1,20} but the supported range",
  "unknown variant",
  "input should be",
  "specified in the request (?:is|are) not valid",
];

/**
 * The phrases in which providers name what they refuse. A name counts only in one of these places: texts about
 * something else mention temperatures and tokens too, and some list the parameters that would have been taken.
 */
const phrases: readonly RegExp[] = [
  `\\bparam["'] ?: ?["'](${name})["']`,
  `\\b(?:unsupported|unrecogni[sz]ed|unknown|unexpected|invalid) (?:(?:request|keyword|body|input) )?(?:${thing}(?:\\(s\\))? ?)?(?:(?:in object|supplied|for|at) ?)?:? ?(${names})`,
  `\\b(?:does not|doesn't|do not|don't) support(?: the)?(?: ${thing})?:? (${names})`,
  `\\b${thing} (?:is |are )?not (?:supported|allowed|permitted)[^:.]{0,40}: ?(${names})`,
  `\\brange of (${names}) (?:must|should) be\\b`,
  `\\bextra inputs are not permitted, field: (${names})`,
  `\\bplease remove(?: the)? (${names}) (?:field )?from\\b`,
  `(?<![\\w.\\]-])(${names}) ?:? ?(?:${complaints.join("|")})`,
].map((source) => new RegExp(source, "gi"));

/** Ollama, OpenRouter, Google, Bedrock and some gateways use other words for these, or none. */
const byOtherWords: Readonly<Record<string, readonly RegExp[]>> = {
  reasoning_effort: [
    /\bthink value\b.{0,40} is not supported\b/i,
    /\binvalid reasoning value\b/i,
    /\bthinking (?:level|budget)\b.{0,40} is not supported\b/i,
    /\bmodel only works in thinking mode\b/i,
    /\breasoning is mandatory\b.{0,60}\bcannot be disabled\b/i,
    /\blevel .{1,20} not supported, valid levels\b/i,
  ],
  stream: [/\bstreaming is not supported\b/i, /\bsupport tool use in streaming mode\b/i],
};
const toolsWithEffort = /\bfunction tools with reasoning_effort are not supported\b/i;
const valuePhrase =
  /\btoo (?:large|big|high|small|low)\b|\b(?:above|below|between|exceed|maximum|range|at (?:most|least)|less than|greater than)/i;

/** Returns null when nothing is named. The caller must check whether we sent any of it. */
export function refusalIn(status: number, body: string): Refusal | null {
  if (!speaksOfParameters.has(status)) return null;
  const text = flattened(body.slice(0, longestLook));
  // in these phrases Ollama's `reasoning` is no field of that name
  const others = Object.values(byOtherWords)
    .flat()
    .reduce((rest, phrase) => rest.replace(phrase, " "), text);
  const meant = Object.entries(byOtherWords).filter(([, words]) => words.some((phrase) => phrase.test(text)));
  const named = [
    ...phrases.flatMap((phrase) => namesIn(phrase, others)),
    ...pathsIn(others),
    ...meant.map(([name]) => name),
  ];
  const ofToolsWithEffort = toolsWithEffort.test(text);
  if (named.length === 0 && !ofToolsWithEffort) return null;
  return { named: [...new Set(named)], ofValue: valuePhrase.test(text), ofToolsWithEffort };
}

/**
 * Errors come as JSON, as JSON in a string of JSON, and as Python prints values; without escapes they look the same.
 */
function flattened(body: string): string {
  return body
    .replace(/\\[nrt]/g, " ")
    .replace(/\\/g, "")
    .replace(/\s+/g, " ");
}

function namesIn(phrase: RegExp, text: string): string[] {
  return [...text.matchAll(phrase)]
    .filter(({ 0: whole, index }) => !isOfTools(text.slice(index + whole.length)))
    .flatMap(([, list = ""]) => list.split(/,(?: (?:and|or) )?| (?:and|or) /))
    .map((one) => one.replace(/^[\s"'`‘“([]+|[\s"'`’”)\].]+$/g, ""));
}

/** Skips complaints about a tool's schema, which may have a property of any name. */
function isOfTools(after: string): boolean {
  return /^["'`]? at ["'`]?tools\b/.test(after);
}

/** Returns the places that pydantic's errors name, except for missing fields: those were not refused. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/\bloc["']? ?: ?[[(]([^\])]*)/g)]
    .filter(({ 0: whole, index }) => {
      const before = text.slice(text.lastIndexOf("{", index), index);
      const after = text.slice(index + whole.length, index + whole.length + 120).split("}")[0] ?? "";
      return !/missing|required/i.test(before + after);
    })
    .map(([, path = ""]) => path.replace(/["']/g, "").replace(/, ?/g, "."));
}
