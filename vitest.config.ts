import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { memoryFolder } from "./test/support/memory-folder.js";
import { missingPart, requiresSystem } from "./test/support/system-parts.js";
import { createUntestedPartsReporter } from "./test/support/untested-parts.js";

/** Tests of the built program and of real parts: `npm run test:system`. */
const SYSTEM = ["{test,service/test}/system/**/*.test.ts"];

/** Random runs with many seeds, kills, simulated months, and packages: `npm run test:long`. */
const LONG = ["{test,service/test}/long/**/*.test.ts"];

/** Tests of properties, which `npm run test:long` repeats with more runs: see `numberOfRuns`. */
const PROPERTIES = [
  "test/time/date-words.test.ts",
  "test/events/{reminders,icalendar/*,input/edit-document}.test.ts",
  "test/commands/add/sentence-properties.test.ts",
  "test/commands/agenda/free-time.test.ts",
  "test/commands/import/{damaged-files,round-trip}.test.ts",
  "test/commands/messages/{mail,payloads}.test.ts",
  "test/cli/hostile-answers.test.ts",
  "test/output/{hostile-views,markdown}.test.ts",
  "test/terminal/redaction.test.ts",
];

/** Tests that need PostgreSQL. */
const POSTGRES = "service/test/{system,long}/postgres/**/*.test.ts";

/** Tests that `npm test` runs on SQLite, and `npm run test:system` on PostgreSQL. */
const ON_BOTH = [
  "service/test/{contract-in-process,nul,admin,resync,revocation,moved-events}.test.ts",
  "service/test/series.test.ts",
  "service/test/oauth/{lifetimes,public-client,sign-in,token}.test.ts",
];

const HERMETIC = "test/support/hermetic-setup.ts";

/** Where it is required, the run fails without it. */
const HAS_POSTGRES = requiresSystem() || missingPart("postgres") === null;
const POSTGRES_SETUP = HAS_POSTGRES ? ["test/support/postgres-setup.ts"] : [];

/** CI reads the totals from this file. */
const REPORT = process.env["CALCTL_TEST_REPORT"];

export default defineConfig({
  test: {
    restoreMocks: true,
    // Ends what hangs: it is no bound, and a test may wait long on a machine that has much else to do.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The same for what a test waits for in a real server or process.
    expect: { poll: { timeout: 120_000 } },
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
          name: "test",
          // These tests seldom wait, and each worker has to load the program.
          maxWorkers: Math.min(availableParallelism() + 1, 8),
          // Projects with another number of workers run before it, not beside it.
          sequence: { groupOrder: 1 },
          include: ["{test,service/test}/**/*.test.ts"],
          exclude: [...SYSTEM, ...LONG],
          setupFiles: [HERMETIC],
          env: memoryFolder(),
        },
      },
      {
        extends: true,
        test: { name: "system", include: SYSTEM, exclude: [POSTGRES], setupFiles: [HERMETIC] },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: HAS_POSTGRES ? ["service/test/system/postgres/**/*.test.ts", ...ON_BOTH] : [],
          globalSetup: POSTGRES_SETUP,
          setupFiles: [HERMETIC],
          provide: { engine: "postgres" },
        },
      },
      {
        extends: true,
        test: {
          name: "long",
          include: [...LONG, ...PROPERTIES],
          exclude: HAS_POSTGRES ? [] : [POSTGRES],
          globalSetup: POSTGRES_SETUP,
          setupFiles: [HERMETIC],
          provide: { thoroughness: 10 },
        },
      },
    ],
  },
});
