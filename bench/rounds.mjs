// Measures several things in turns, and prints a table of them.
import { existsSync, readFileSync } from "node:fs";

const ROUNDS = 5;
/** Rounds before those: what runs often is compiled in steps, the last after some ten thousand requests. */
const WARM_UP = 3;

/** Runs each in every round, in turns, since the machine's speed changes, too. */
export async function takeTurns(measures) {
  const names = Object.keys(measures);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await measures[name]();
      if (round >= 0) samples[name].push(sample);
    }
  }
  return samples;
}

/** User and system time of a process, in milliseconds. */
export function cpuTime(pid) {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  const fields = readFileSync(file, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** @param cells of the columns */
export function printRow(title, cells) {
  console.log(`${title.padEnd(32)}${cells.map((cell) => cell.padStart(11)).join("")}`);
}
