// `npm run check`: every check before a commit. Stops at the first step that fails and shows its output.
// --no-tests skips the tests.
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCaptured } from "../build/captured-run.mjs";
import { runIfEntry } from "../build/entry.mjs";
import { ensureInstalled } from "../build/install.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The steps write to a pipe, so they cannot detect the terminal. Biome has its own flag for that. */
const COLORED = process.stdout.isTTY === true;

const STEPS = [
  {
    name: "format and lint",
    command: `biome ci --error-on-warnings --colors=${COLORED ? "force" : "off"} .`,
  },
  { name: "types", command: "tsc -p ." },
  { name: "layers", command: "node scripts/check-layers.mjs" },
  { name: "exports", command: "knip" },
  { name: "build", command: "node build/build.mjs" },
];

const TESTS = { name: "tests", command: "vitest run --project test" };

async function check() {
  await ensureInstalled();
  const steps = process.argv.includes("--no-tests") ? STEPS : [...STEPS, TESTS];
  for (const { name, command } of steps) {
    const start = performance.now();
    process.stdout.write(`${name.padEnd(16)}`);
    const { code, output } = await run(command);
    const seconds = ((performance.now() - start) / 1_000).toFixed(1).padStart(6);
    process.stdout.write(`${seconds} s  ${code === 0 ? "ok" : "failed"}\n`);
    if (code === 0) continue;
    process.stdout.write(`\n${output}\n`);
    throw new Error(`${name} failed (output above); to repeat only this step: npx ${command}`);
  }
}

/** Runs a command line as an npm script would, with the tools of this package first in PATH. */
function run(command) {
  const PATH = [join(ROOT, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const color = COLORED ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" };
  return runCaptured(command, [], { cwd: ROOT, shell: true, env: { ...process.env, ...color, PATH } });
}

await runIfEntry(import.meta.url, check);
