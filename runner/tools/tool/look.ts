/**
 * The look of a tool's calls: in a run's lines, in a long conversation, on the page. Plain data without imports, for the
 * page gets it as JSON.
 */
export interface ToolLook {
  /** the argument that says what a call is about */
  readonly main?: string;
  /** the words for a call in an interview's lines, before the main argument; without them a call is not told there */
  readonly inInterview?: string;
  /** the words for what goes on during a call; by default its name and its main argument */
  readonly underWay?: string;
  /** another call would cost a person's time, so its result stays in a long conversation while others are folded */
  readonly isDear?: boolean;
  readonly drawn?: Drawn;
  /** the lines of an answer that the page shows at first; 8 by default */
  readonly answerLines?: number;
}

/** The page's drawing of arguments. By default the main one is the title, and the others are said beside it. */
export type Drawn =
  /** the names of the arguments with the text before and after a change */
  | { readonly as: "change"; readonly from: string; readonly to: string }
  /** the name of the argument with a text that is new */
  | { readonly as: "text"; readonly of: string }
  /** the arguments are the case for a task, which is read together with its verdict */
  | { readonly as: "case" };

/** The looks of tools by their names. */
export type ToolLooks = Readonly<Record<string, ToolLook>>;

/** Returns the look of a tool, or null where a model called what nobody declared. */
export function lookOf(looks: ToolLooks, name: string): ToolLook | null {
  return Object.hasOwn(looks, name) ? (looks[name] ?? null) : null;
}

/** Names every argument that is the main one of some tool. */
export function mainArguments(looks: ToolLooks): readonly string[] {
  return [...new Set(Object.values(looks).flatMap(({ main }) => main ?? []))];
}
