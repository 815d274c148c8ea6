export interface HereDocument {
  /** the line that asks for it */
  readonly line: string;
  readonly text: string;
}

const wanted = /(?<!<)<<-?[ \t]{0,8}(?:(["'])([^"'\n]{1,64})\1|\\?([A-Za-z_][\w.-]{0,63}))/g;

/** Separates a script from its here-documents, which are input and not commands: a README may speak of `sudo`. */
export function withoutHereDocuments(script: string): { script: string; documents: readonly HereDocument[] } {
  const kept: string[] = [];
  const documents: { line: string; body: string[] }[] = [];
  let open: string[] = [];
  for (const line of script.split("\n")) {
    if (open.length === 0) {
      kept.push(line);
      open = [...line.matchAll(wanted)].map((found) => found[2] ?? found[3] ?? "");
      if (open.length > 0) documents.push({ line, body: [] });
    } else if (line.trim() === open[0]) open.shift();
    else documents.at(-1)?.body.push(line);
  }
  return { script: kept.join("\n"), documents: documents.map(({ line, body }) => ({ line, text: body.join("\n") })) };
}
