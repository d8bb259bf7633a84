// Lets one process at a time install or build. A lock whose holder no longer updates it is taken over.
import { mkdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A directory, because creating one is atomic. Not in node_modules, which `npm ci` empties. */
const LOCK = fileURLToPath(new URL("../dist/.lock", import.meta.url));

const POLL_MS = 100;
const HEARTBEAT_MS = 1_000;
const STALE_AFTER_POLLS = 100;
const NOTICE_AFTER_POLLS = 10;

/** Runs `work` while no other process runs work of its own. */
export async function withLock(work) {
  mkdirSync(dirname(LOCK), { recursive: true });
  await acquire();
  const heartbeat = setInterval(touch, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(LOCK, { recursive: true, force: true });
  }
}

async function acquire() {
  let lastSeen;
  let unchangedPolls = 0;
  for (let polls = 0; !tryLock(); polls += 1) {
    if (polls === NOTICE_AFTER_POLLS)
      process.stderr.write("calctl: waiting for another process that installs or builds\n");
    const seen = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs;
    unchangedPolls = seen === lastSeen ? unchangedPolls + 1 : 0;
    lastSeen = seen;
    // Counts polls instead of comparing clocks, which would be wrong after a suspend and on a shared disk.
    if (unchangedPolls > STALE_AFTER_POLLS) rmSync(LOCK, { recursive: true, force: true });
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

function touch() {
  try {
    const now = new Date();
    utimesSync(LOCK, now, now);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}
