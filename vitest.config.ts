import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/own-place.ts"],
    // most of it is work of processes and containers, and the machine may have others
    testTimeout: 240_000,
    hookTimeout: 300_000,
    fileParallelism: true,
    maxWorkers: 2,
  },
});
