/** Formats minutes and seconds, and hours if there are any. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const [h, m, s] = [Math.floor(minutes / 60), minutes % 60, seconds % 60];
  const padded = (part: number) => String(part).padStart(2, "0");
  return h > 0 ? `${h}:${padded(m)}:${padded(s)}` : `${padded(m)}:${padded(s)}`;
}
