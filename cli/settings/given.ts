/** Returns the trimmed text, null if it is unset or blank. */
export function given(text: string | undefined): string | null {
  const trimmed = text?.trim();
  return trimmed ? trimmed : null;
}
