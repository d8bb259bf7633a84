// One process at a time installs or builds. The lock outlives no holder: one that stopped beating is taken over.
import { mkdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A directory, since making one is atomic. In dist, which is ours alone and ignored by git; `npm ci` empties node_modules. */
const LOCK = fileURLToPath(new URL("../dist/.lock", import.meta.url));

const POLL_MS = 100;
const BEAT_MS = 1_000;
const SILENT_POLLS = 100;
const WORTH_SAYING_POLLS = 10;

/** Runs `work` while no other process is inside its own call. */
export async function withLock(work) {
  mkdirSync(dirname(LOCK), { recursive: true });
  await acquire();
  const heart = setInterval(beat, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heart);
    rmSync(LOCK, { recursive: true, force: true });
  }
}

async function acquire() {
  let lastBeat;
  let silentPolls = 0;
  for (let polls = 0; !tryLock(); polls += 1) {
    if (polls === WORTH_SAYING_POLLS)
      process.stderr.write("calctl: waiting for another run that installs or builds\n");
    const seen = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs;
    silentPolls = seen === lastBeat ? silentPolls + 1 : 0;
    lastBeat = seen;
    // Counting what was watched, instead of comparing clocks, holds after a suspend and on a shared disk too.
    if (silentPolls > SILENT_POLLS) rmSync(LOCK, { recursive: true, force: true });
    await setTimeout(POLL_MS);
  }
}

function tryLock() {
  try {
    mkdirSync(LOCK);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function beat() {
  try {
    const now = new Date();
    utimesSync(LOCK, now, now);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}
