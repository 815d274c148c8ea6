import { engineMatrix } from "./engine-matrix.js";
import { hostMatrix } from "./host-matrix.js";

// npm run kill-matrix [-- N [host|engine]]: every point, or every Nth, of both matrices or of one

const [nth = "1", only] = process.argv.slice(2);
const matrices = { host: hostMatrix, engine: engineMatrix };
let whole = true;
for (const [name, matrix] of Object.entries(matrices)) {
  if (only !== undefined && only !== name) continue;
  const { what, points, wrong } = await matrix(Number(nth));
  process.stdout.write(`${what}: ${points} points, ${points - wrong.length} held\n`);
  for (const sentence of wrong) process.stdout.write(`  ${sentence}\n`);
  whole &&= wrong.length === 0;
}
process.exit(whole ? 0 : 1);
