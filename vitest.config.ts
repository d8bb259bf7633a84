import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { missingPart, requiresSystem } from "./test/support/system-parts.js";
import { createUntestedPartsReporter } from "./test/support/untested-parts.js";

/** Tests that run on SQLite and on PostgreSQL: what they call is the same on both. */
const ON_BOTH = [
  "service/test/{contract-in-process,nul,response-cache,admin,sample,resync,revocation,moved-events}.test.ts",
  "service/test/series.test.ts",
  "service/test/oauth/*.test.ts",
];

/** Tests that need SQLite, or no database. */
const ON_SQLITE = ["service/test/oauth/{authorization-request,chromium,migration,origin}.test.ts"];

/** Tests that need PostgreSQL. */
const ON_POSTGRES = ["service/test/postgres/**/*.test.ts"];

const HERMETIC = "test/support/hermetic-setup.ts";

/** Where it is required, the run fails without it. */
const HAS_POSTGRES = requiresSystem() || missingPart("postgres") === null;

/** CI reads the totals from this file. */
const REPORT = process.env["CALCTL_TEST_REPORT"];

export default defineConfig({
  test: {
    restoreMocks: true,
    // Ends what hangs: it is no bound, and a test may wait long on a machine that has much else to do.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The same for what a test waits for in a real server or process.
    expect: { poll: { timeout: 30_000 } },
    // Modules hold no state, so files can share a process, with what it has loaded and compiled.
    isolate: false,
    // Much of the time is waiting for other processes and for the network.
    maxWorkers: Math.min(2 * availableParallelism(), 8),
    globalSetup: ["test/support/build-setup.mjs"],
    reporters: ["default", createUntestedPartsReporter(), ...(REPORT === undefined ? [] : ["json"])],
    ...(REPORT !== undefined && { outputFile: { json: REPORT } }),
    env: {
      // An offset of 12:45 with clock changes: code that reads the machine's zone by mistake is found out.
      TZ: "Pacific/Chatham",
      // No folder can be made in it, so whoever writes to the real home fails.
      HOME: "/dev/null",
      LC_ALL: "C.UTF-8",
    },
    projects: [
      {
        extends: true,
        test: {
          name: "calctl",
          include: ["{test,service/test}/**/*.test.ts"],
          exclude: ON_POSTGRES,
          setupFiles: [HERMETIC],
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: HAS_POSTGRES ? [...ON_BOTH, ...ON_POSTGRES] : [],
          exclude: ON_SQLITE,
          globalSetup: HAS_POSTGRES ? ["test/support/postgres-setup.ts"] : [],
          setupFiles: [HERMETIC],
          provide: { engine: "postgres" },
        },
      },
    ],
  },
});
