// Prints the totals of vitest's JSON report: `node scripts/test-summary.mjs REPORT`.
import { readFileSync } from "node:fs";
import { runIfEntry } from "../build/entry.mjs";

function summarize() {
  const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
  const skipped = report.numPendingTests + report.numTodoTests;
  console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped`);
}

await runIfEntry(import.meta.url, summarize);
