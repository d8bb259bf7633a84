import type { Reporter, TestCase, TestModule, TestProject } from "vitest/node";
import { missingPackages, missingPart } from "./system-parts.js";

/** Says at the end what was not tested, why, and how to install what is missing. */
export function createUntestedPartsReporter(): Reporter {
  let projects: readonly TestProject[] = [];
  return {
    onInit(vitest) {
      projects = vitest.projects;
    },
    onTestRunEnd(modules, _errors, reason) {
      if (reason === "interrupted") return;
      const untested = [...untestedProjects(projects), ...skippedTests(modules)];
      if (untested.length === 0) return;
      process.stdout.write(`\nNot tested on this machine:\n${untested.join("")}`);
      const packages = missingPackages().join(" ");
      if (packages === "") return;
      process.stdout.write(
        `To test everything (on Debian): apt-get install --no-install-recommends ${packages}\n`,
      );
    },
  };
}

/** Without PostgreSQL, `vitest.config.ts` leaves out the tests that need it. */
function untestedProjects(projects: readonly TestProject[]): readonly string[] {
  const obstacle = missingPart("postgres");
  const folders = { postgres: "service/test/system/postgres", long: "service/test/long/postgres" };
  if (obstacle === null) return [];
  return Object.entries(folders)
    .filter(([name]) => projects.some((project) => project.name === name))
    .map(([, folder]) => `  all of ${folder}: ${obstacle.reason}\n`);
}

/** One line for each reason. */
function skippedTests(modules: readonly TestModule[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const module of modules) {
    for (const test of module.children.allTests("skipped")) {
      const reason = reasonOf(test);
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
  }
  return [...counts].map(([reason, count]) => `  ${count} ${count === 1 ? "test" : "tests"}: ${reason}\n`);
}

/** Undefined for tests that were not asked for, as with `-t`. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result();
  return test.meta().obstacle?.reason ?? (result.state === "skipped" ? result.note?.trim() : undefined);
}
