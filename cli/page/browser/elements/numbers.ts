const count = new Intl.NumberFormat("en");

export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count.format(value)} ${value === 1 ? one : many}`;
}

export function amount(value: number): string {
  if (value < 10_000) return count.format(value);
  return value < 1_000_000 ? `${(value / 1000).toFixed(value < 100_000 ? 1 : 0)} k` : `${(value / 1e6).toFixed(2)} M`;
}

export function money(value: number | null): string {
  return value === null ? "cost unknown" : `$${value.toFixed(value < 1 ? 4 : 2)}`;
}

export function span(ms: number): string {
  if (ms < 950) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1000);
  if (minutes < 60) return `${minutes} min ${String(seconds).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

export function clock(at: number): string {
  return Number.isFinite(at) ? new Date(at).toLocaleTimeString("en-GB") : "";
}

export function day(at: number): string {
  return Number.isFinite(at) ? new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }) : "";
}

export function shortId(id: string): string {
  return /^[0-9a-f]{40}$/.test(id) ? id.slice(0, 12) : id.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]+$/, "$1");
}
