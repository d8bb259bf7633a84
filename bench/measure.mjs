// Runs Node programs and says how long they took and how much memory they held.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PEAK_MEMORY = fileURLToPath(new URL("peak-memory.cjs", import.meta.url));

/**
 * Runs each command line once a round, in turn, so that what slows the machine for a while slows all of them.
 * @returns for each the median of `measure`
 */
export function medians(commandLines, { rounds, measure }) {
  const samples = commandLines.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, commandLine] of commandLines.entries()) samples[index].push(measure(commandLine));
  }
  return samples.map(median);
}

/** Milliseconds from start to end of the process. */
export function wallTime({ args, env }) {
  const start = performance.now();
  run(args, { env, stdio: ["ignore", "ignore", "inherit"] });
  return performance.now() - start;
}

/** Largest resident set of the process, in MiB. */
export function peakMemory({ args, env }) {
  const hooked = ["--require", PEAK_MEMORY, ...args];
  const { output } = run(hooked, { env, stdio: ["ignore", "ignore", "inherit", "pipe"] });
  return Number(output[3]) / 1024;
}

function run(args, options) {
  const result = spawnSync(process.execPath, args, options);
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) throw new Error(`node ${args.join(" ")} ended with exit code ${result.status}`);
  return result;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
