/** Null for what is not set, or blank. */
export function given(text: string | undefined): string | null {
  const trimmed = text?.trim();
  return trimmed ? trimmed : null;
}
