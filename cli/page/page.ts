import { linesFrom } from "../../runner/session/log/follow-log.js";
import { hashOf, type PageAssets } from "./assets.js";
import type { SessionFacts } from "./facts.js";
import { harmlessJson, harmlessLine } from "./harmless.js";

/** Removes known keys from a text. */
export type Mask = (text: string) => string;

export interface OfflinePage {
  readonly assets: PageAssets;
  readonly facts: SessionFacts;
  readonly events: string;
  readonly mask: Mask;
  readonly signal: AbortSignal;
}

/** Makes chat.html piece by piece: the whole session in one file that contacts nobody. */
export async function* offlinePage({ assets, facts, events, mask, signal }: OfflinePage): AsyncGenerator<string> {
  yield opening(assets, policyOf(assets, "'none'"));
  yield dataBlock("facts", facts, mask);
  for (let at = 0; ; ) {
    signal.throwIfAborted();
    const { lines, end } = await linesFrom(events, at);
    if (lines.length === 0) break;
    const block = lines.map((line) => harmlessLine(mask(line))).join(",\n");
    yield `<script type="application/json" class="events">[\n${block}\n]</script>\n`;
    at = end;
  }
  yield closing(assets);
}

/** Makes the same page without its log, which comes as a stream; `data` is its first data. */
export function livePage(assets: PageAssets, data: object, mask: Mask): string {
  return `${opening(assets, policyOf(assets, "'self'"))}${dataBlock("facts", data, mask)}${closing(assets)}`;
}

/** The page's permissions: to run its one script, show its one style, and ask `connect` for more. */
export function policyOf({ script, style }: PageAssets, connect: "'none'" | "'self'"): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
    // keeps text from becoming markup or code even if the script has a hole
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

function opening({ style }: PageAssets, policy: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>tilth</title>
<style>${style}</style>
</head>
<body>
<p id="opening">Opening the session…</p>
<noscript><p>This page shows its session with JavaScript, which is switched off here.</p></noscript>
`;
}

function dataBlock(id: string, data: object, mask: Mask): string {
  return `<script type="application/json" id="${id}">${harmlessJson(mask(JSON.stringify(data)))}</script>\n`;
}

function closing({ script }: PageAssets): string {
  return `<script>${script}</script>\n</body>\n</html>\n`;
}
