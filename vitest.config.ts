import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    restoreMocks: true,
    testTimeout: 20_000,
    setupFiles: ["test/support/hermetic-setup.ts"],
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
        test: { name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/e2e/**"] },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/support/build-setup.mjs"],
        },
      },
    ],
  },
});
