/** Gives Python code as it is written, backslashes and all, from the line after the quote on. */
export function py(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw(strings, ...values).replace(/^\n/, "");
}
