import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    restoreMocks: true,
    // Ends what hangs: it is no bound, and a test may wait long on a machine that has much else to do.
    testTimeout: 60_000,
    // Modules hold no state, so files can share a process, with what it has loaded and compiled.
    isolate: false,
    // Much of the time is waiting for other processes and for the network.
    maxWorkers: Math.min(2 * availableParallelism(), 8),
    globalSetup: ["test/support/build-setup.mjs"],
    setupFiles: ["test/support/hermetic-setup.ts"],
    env: {
      // An offset of 12:45 with clock changes: code that reads the machine's zone by mistake is found out.
      TZ: "Pacific/Chatham",
      // No folder can be made in it, so whoever writes to the real home fails.
      HOME: "/dev/null",
      LC_ALL: "C.UTF-8",
    },
    include: ["test/**/*.test.ts"],
  },
});
