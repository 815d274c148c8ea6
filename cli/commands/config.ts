import { exitOk } from "../exit-codes.js";
import { row } from "../painted.js";
import { loadSettings, readRawSettings, type SettingInForce } from "../settings.js";
import type { Surroundings } from "../surroundings.js";

export async function config({ output }: Surroundings, options: { json?: boolean }): Promise<number> {
  const { home, inForce } = readRawSettings();
  loadSettings();
  const shown = inForce.map(({ name, value, origin, about, ...rest }) => ({
    name,
    value: masked({ ...rest, value }),
    origin,
    about,
  }));
  if (options.json) {
    output.printJson({ home, settings: shown });
    return exitOk;
  }
  const width = Math.max(...shown.map((setting) => setting.name.length));
  output.print(row(["TILTH_HOME", home], [width]));
  for (const { name, value, origin } of shown)
    output.print(row([name, value === null ? "–" : `${value} (${origin})`], [width]));
  return exitOk;
}

function masked({ secret, value }: Pick<SettingInForce, "secret" | "value">): string | null {
  return !secret || value === null || value.toLowerCase() === "none" ? value : "••••";
}
