// Runs Node programs and says what they cost: CPU time, wall time and memory.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PEAK_MEMORY = fileURLToPath(new URL("peak-memory.cjs", import.meta.url));

/** bash reports what the kernel counted, also what a process spends in other threads and after its exit handlers. */
const TIMED = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null';

/**
 * Runs each row once a round, in turn, so that what slows the machine for a while slows all of them.
 * @param rows each with `samples`, to which the costs of each run are added
 */
export function takeTurns(rows, rounds) {
  for (let round = 0; round < rounds; round += 1) {
    for (const row of rows) {
      // What takes seconds needs fewer runs to be known well enough.
      if (round >= 3 && row.samples[0].wall > 3_000) continue;
      row.samples.push(measureTime(row));
    }
  }
}

/** CPU time (user and system) and wall time of the process and its children, in milliseconds. */
function measureTime({ command: program, args, env }) {
  const command = ["-c", TIMED, "bash", program, ...args];
  const { stderr } = run("bash", command, { env, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  const [wall, user, system] = stderr.trimEnd().split("\n").at(-1).split(" ").map(Number);
  return { cpu: (user + system) * 1000, wall: wall * 1000 };
}

/** Largest resident set of a Node process, in MiB. */
export function measureMemory({ command, args, env }) {
  const hooked = ["--require", PEAK_MEMORY, ...args];
  const { output } = run(command, hooked, { env, stdio: ["ignore", "ignore", "inherit", "pipe"] });
  return Number(output[3]) / 1024;
}

function run(command, args, options) {
  const result = spawnSync(command, args, options);
  if (result.error !== undefined) throw result.error;
  if (result.status === 0) return result;
  throw new Error(
    `${command} ${args.join(" ")} ended with exit code ${result.status}: ${result.stderr ?? ""}`,
  );
}

/** Mean of the middle half: a median would have no more than the milliseconds in which time is reported. */
export function middleMean(numbers) {
  const cut = Math.floor(numbers.length / 4);
  const middle = numbers.toSorted((a, b) => a - b).slice(cut, numbers.length - cut);
  return middle.reduce((sum, number) => sum + number, 0) / middle.length;
}
