// `npm run soak`: the soak tests at full size. SOAK_COMMANDS, SOAK_HISTORY_SECONDS, SOAK_WRITES and
// SOAK_SEED change the sizes and the seed.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runIfEntry } from "../build/entry.mjs";
import { ensureInstalled } from "../build/install.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VITEST = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const TESTS = ["test/soak", "service/test/postgres/history", "service/test/postgres/random-writes"];
const SIZES = {
  SOAK_COMMANDS: "2000",
  SOAK_MONTH: "whole",
  SOAK_HISTORY_SECONDS: "60",
  SOAK_WRITES: "10000",
};

async function soak() {
  await ensureInstalled();
  const child = spawn(process.execPath, [VITEST, "run", ...TESTS], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...SIZES, ...process.env },
  });
  process.exitCode = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

await runIfEntry(import.meta.url, soak);
