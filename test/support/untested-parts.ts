import type { Reporter, TestCase, TestModule } from "vitest/node";
import { missingPart, type Obstacle } from "./system-parts.js";

/** What of the tests did not run for one reason. */
interface Untested extends Obstacle {
  readonly tests: string;
}

/** Says at the end what was not tested, why, and how to install what is missing. */
export function createUntestedPartsReporter(): Reporter {
  return {
    onTestRunEnd(modules, _errors, reason) {
      const untested = [...untestedProjects(), ...skippedTests(modules)];
      if (reason !== "interrupted" && untested.length > 0) process.stdout.write(describeUntested(untested));
    },
  };
}

/** `vitest.config.ts` leaves out the project that needs PostgreSQL. */
function untestedProjects(): readonly Untested[] {
  const obstacle = missingPart("postgres");
  return obstacle === null ? [] : [{ ...obstacle, tests: "all of test/postgres" }];
}

function skippedTests(modules: readonly TestModule[]): readonly Untested[] {
  const byReason = new Map<string, { readonly obstacle: Obstacle; count: number }>();
  for (const module of modules) {
    for (const test of module.children.allTests("skipped")) {
      const obstacle = obstacleOf(test);
      if (obstacle === null) continue;
      const entry = byReason.get(obstacle.reason) ?? { obstacle, count: 0 };
      entry.count += 1;
      byReason.set(obstacle.reason, entry);
    }
  }
  return [...byReason.values()].map(({ obstacle, count }) => ({
    ...obstacle,
    tests: count === 1 ? "1 test" : `${count} tests`,
  }));
}

/** Null for tests that were not asked for, as with `-t`. */
function obstacleOf(test: TestCase): Obstacle | null {
  const { obstacle } = test.meta();
  if (obstacle !== undefined) return obstacle;
  const result = test.result();
  const reason = result.state === "skipped" ? result.note : undefined;
  return reason === undefined ? null : { reason, debianPackage: null };
}

function describeUntested(untested: readonly Untested[]): string {
  const width = Math.max(...untested.map(({ tests }) => tests.length));
  const lines = untested.map(({ tests, reason }) => `  ${tests.padEnd(width)}  ${reason}`);
  const packages = new Set(untested.flatMap(({ debianPackage }) => debianPackage ?? []));
  const install = `To test everything (on Debian): apt-get install --no-install-recommends ${[...packages].sort().join(" ")}`;
  return ["", "Not tested on this machine:", ...lines, ...(packages.size > 0 ? [install] : []), "", ""].join(
    "\n",
  );
}
