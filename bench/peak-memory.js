// Loaded into a process that is measured: at its end it says how much memory it had at most.
import { readFileSync, writeFileSync } from "node:fs";

process.on("exit", () => {
  writeFileSync(process.env.TILTH_BENCH_PEAK, String(peakKilobytes()));
});

/** getrusage would count what the process that started this one had, too. */
function peakKilobytes() {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
