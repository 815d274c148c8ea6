import { exchangesOf } from "./exchanges.js";
import { lineOf, type Result, tried } from "./expectation.js";
import { liteLlmVersion } from "./litellm.js";
import { sessionsOf } from "./session.js";
import { dialects, GatewayStage } from "./stage.js";

// npm run gateway [-- PART …]: the expectations whose names have all of these parts, or every one

const parts = process.argv.slice(2);
const results: Result[] = [];
{
  await using stage = await GatewayStage.open();
  process.stdout.write(`through LiteLLM's proxy ${liteLlmVersion}\n`);
  const all = dialects.flatMap((dialect) => [...exchangesOf(stage, dialect), ...sessionsOf(stage, dialect)]);
  for (const expectation of all.filter(({ name }) => parts.every((part) => name.includes(part)))) {
    const result = await tried(expectation);
    process.stdout.write(`${lineOf(result)}\n`);
    results.push(result);
  }
}
const failed = results.filter(({ passed }) => !passed).length;
process.stdout.write(`${results.length} expectations, ${failed} failed\n`);
process.exit(failed === 0 && results.length > 0 ? 0 : 1);
