// Sets up everything that `npm run demo` and `npm test` need before anything else works. It is plain Node, because a
// fresh clone has nothing besides. It says what it is about to install, and leaves alone what is there.
import { ensureBrowser } from "./set-up/browser.js";
import { ensureDependencies } from "./set-up/dependencies.js";
import { ensureEngine } from "./set-up/engine.js";
import { Apt } from "./set-up/host.js";
import { ensureBootstrapTool } from "./set-up/image-tools.js";
import { ensurePrograms } from "./set-up/programs.js";
import { SetUpStopped } from "./set-up/say.js";

try {
  ensureDependencies();
  const apt = new Apt();
  ensurePrograms(apt);
  if (process.argv[2] === "test") ensureBrowser(apt);
  const engine = await ensureEngine(apt);
  await ensureBootstrapTool(engine, apt);
} catch (error) {
  if (!(error instanceof SetUpStopped)) throw error;
  process.stderr.write(`set-up: ${error.message}\n  → ${error.remedy}\n`);
  process.exitCode = 2;
}
