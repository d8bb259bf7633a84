// Prints the totals of vitest's JSON reports: `node scripts/test-summary.mjs REPORT…`.
import { readFileSync } from "node:fs";
import { runIfEntry } from "../build/entry.mjs";

function summarize() {
  const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
  const total = (count) => reports.map(count).reduce((sum, next) => sum + next, 0);
  const passed = total((report) => report.numPassedTests);
  const failed = total((report) => report.numFailedTests);
  const skipped = total((report) => report.numPendingTests + report.numTodoTests);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
}

await runIfEntry(import.meta.url, summarize);
