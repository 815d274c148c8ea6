// Loaded into a process that is measured: when it ends, it writes down the most memory it had.
import { readFileSync, writeFileSync } from "node:fs";

process.on("exit", () => {
  writeFileSync(process.env.TILTH_BENCH_PEAK, String(peakKilobytes()));
});

/** Reads /proc, because getrusage also counts the memory of the process that started this one. */
function peakKilobytes() {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
