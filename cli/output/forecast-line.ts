import type { Beyond, Forecast, Spread } from "../../runner/index.js";
import { counted } from "../../runner/text/counted.js";
import { line, type Painted, red } from "./painted.js";

const twoDigits = (n: number) => new Intl.NumberFormat("en-US", { maximumSignificantDigits: 2 }).format(n);

/** Says on one line how much a run is likely to take. */
export function forecastLine({ tasks, goingBy, bySameModel, tokens, cost, minutes, beyond }: Forecast): Painted {
  const taken = [
    said(tokens, { about: (n) => `${twoDigits(n)} tokens`, range: (n) => twoDigits(n) }),
    ...(cost === null ? [] : [said(cost, { about: dollars, range: dollars })]),
    said(minutes, { about: (n) => counted(whole(n), "minute"), range: (n) => String(whole(n)) }),
  ].join(", ");
  const by = `${goingBy} accepted tasks of this source${bySameModel ? "" : ", none known to be of this model"}`;
  const warnings = beyond.map((one) => line`; ${red(`more than the ${leftOf(one)}`)}`);
  const forecast = line`forecast for ${counted(tasks, "task")}: about ${taken}, going by ${by}`;
  return warnings.reduce((text, warning) => line`${text}${warning}`, forecast);
}

function whole(minutes: number): number {
  return Math.max(1, Math.ceil(minutes));
}

interface Words {
  readonly about: (n: number) => string;
  readonly range: (n: number) => string;
}

function said({ about, least, most }: Spread, words: Words): string {
  const [from, to] = [words.range(least), words.range(most)];
  return from === to ? words.about(about) : `${words.about(about)} (${from} to ${to})`;
}

function leftOf({ setting, left }: Beyond): string {
  switch (setting) {
    case "TILTH_MAX_TOKENS":
      return `${left.toLocaleString("en-US")} tokens left of ${setting}`;
    case "TILTH_MAX_COST_USD":
      return `${dollars(left)} left of ${setting}`;
    case "TILTH_MAX_WALL_CLOCK_MINUTES":
      return `${counted(left, "minute")} of ${setting}`;
  }
}

function dollars(usd: number): string {
  return `$${usd >= 1 ? usd.toFixed(2) : twoDigits(usd)}`;
}
