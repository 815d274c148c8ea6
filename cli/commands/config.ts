import { counted } from "../../runner/text/counted.js";
import { exitOk } from "../output/exit-codes.js";
import { row } from "../output/painted.js";
import type { Surroundings } from "../output/surroundings.js";
import type { SettingInForce } from "../settings/in-force.js";
import { loadSettings, readRawSettings } from "../settings/settings.js";

export async function config({ output }: Surroundings, options: { json?: boolean }): Promise<number> {
  const { home, inForce } = readRawSettings();
  const { prices } = loadSettings();
  const shown = inForce.map((one) => {
    const { name, about } = one.setting;
    return { name, value: masked(one), origin: one.origin, about };
  });
  if (options.json) {
    output.printJson({ home, settings: shown });
    return exitOk;
  }
  const width = Math.max(...shown.map((setting) => setting.name.length));
  output.print(row(["TILTH_HOME", home], [width]));
  for (const { name, value, origin } of shown)
    output.print(row([name, value === null ? "–" : `${value} (${origin})`], [width]));
  const models = Object.keys(prices).length;
  output.print(row(["prices.json", models === 0 ? "–" : counted(models, "model")], [width]));
  output.print("");
  output.print("TILTH_MAX_TOKENS counts new tokens and replies in full, and cached tokens at a tenth.");
  output.print("TILTH_MAX_COST_USD counts costs as the provider reports them, else as prices.json makes them.");
  return exitOk;
}

function masked({ setting: { secret }, value }: SettingInForce): string | null {
  return !secret || value === null || value.toLowerCase() === "none" ? value : "••••";
}
