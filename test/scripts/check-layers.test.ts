import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

const SCRIPT = fileURLToPath(new URL("../../scripts/check-layers.mjs", import.meta.url));

/** Files of a sound little program, to which a case adds some. */
const SOUND: Readonly<Record<string, string>> = {
  "bin/calctl.ts": `import { run } from "../src/cli/run.js"; import { createHost } from "../src/run/host.js"; run(createHost(process));`,
  "src/cli/run.ts": `import { program } from "./program.js"; export const run = program;`,
  "src/cli/program.ts": `export const program = async (_host: unknown) => (await import("../commands/user/user.js")).user;`,
  "src/commands/user/user.ts": `import { day } from "../../time/day.js"; import type { Limits } from "../../../contract/limits.js"; export const user = (limits: Limits) => [day, limits];`,
  "src/time/day.ts": `import { LIMITS } from "../../contract/limits.js"; import { VERSION } from "../version.js"; export const day = [LIMITS, VERSION];`,
  "contract/limits.ts": `export interface Limits { readonly title: number } export const LIMITS: Limits = { title: 50 };`,
  "src/version.ts": `export const VERSION = "1";`,
  "src/run/host.ts": `import { now } from "./clock.js"; export const createHost = (p: unknown) => [p, now];`,
  "src/run/clock.ts": `export const now = () => Date.now();`,
  "src/run/client.ts": `export const client = () => import("../api/network/transport.js");`,
  "service/service.ts": `import { LIMITS } from "../contract/limits.js"; export const service = LIMITS;`,
  "src/api/network/transport.ts": `export const transport = 1;`,
};

function check(changes: Readonly<Record<string, string>>): {
  code: number | null;
  lines: string[];
  stderr: string;
} {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries({ ...SOUND, ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, root], { encoding: "utf8" });
  return { code: status, lines: stdout.split("\n").filter((line) => line !== ""), stderr };
}

test("each wrong import is reported, also of an import() and of a type", () => {
  const { code, lines } = check({
    "src/time/month.ts": `export { service as day } from "../../service/service.js";`,
    "contract/ids.ts": `export const ids = () => import("../src/time/day.js");`,
    "src/commands/other/other.ts": `export { user } from "../user/user.js";`,
    "src/run/visit.ts": `export { user } from "../commands/user/user.js";`,
    "src/cli/serve.ts": `export const serve = () => import("../../service/service.js");`,
    "src/api/client.ts": `export { transport } from "./network/transport.js";`,
    "src/time/week.ts": `import type { now } from "../run/clock.js";\nexport type Week = typeof now;`,
    "src/output/client.ts": `import { type Client, send } from "../api/client.js";\nexport const client: Client = send;`,
    "src/output/clients.ts": `import {\n  type Client,\n  type Clients,\n} from "../api/client.js";\nexport type { Client, Clients };`,
    "service/views/user.ts": `export { service } from "../service.js";`,
    "src/api/agent.ts": `export { Agent } from "undici/lib/agent.js";`,
  });
  expect({ code, lines }).toEqual({
    code: 1,
    lines: [
      "contract/ids.ts -> src/time/day.ts: contract may not import time",
      "service/views/user.ts -> service/service.ts: service/views may not import service",
      "src/api/agent.ts -> undici/lib/agent.js: only src/api/network/connections.ts may import it",
      "src/api/client.ts -> src/api/network/transport.ts: only src/run/client.ts may import it",
      "src/cli/serve.ts -> service/service.ts: cli may not import service",
      "src/commands/other/other.ts -> src/commands/user/user.ts: commands/other may not import commands/user",
      "src/output/client.ts -> src/api/client.ts: output may not import api",
      "src/run/visit.ts -> src/commands/user/user.ts: run may not import commands/user",
      "src/time/month.ts -> service/service.ts: time may not import service",
      "src/time/week.ts -> src/run/clock.ts: time may not have types of run",
    ],
  });
});

test("a file of no layer is reported", () => {
  const { code, lines } = check({
    "src/extras/more.ts": "export const more = 1;",
    "src/commands/loose.ts": "export const loose = 1;",
  });
  expect({ code, lines }).toEqual({
    code: 1,
    lines: ["src/commands/loose.ts", "src/extras/more.ts"].map(
      (file) => `${file}: give it a layer in scripts/check-layers.mjs`,
    ),
  });
});

test("time and randomness are only for the outermost files", () => {
  const sources = {
    "Date.now": "export const now = Date.now();",
    "new Date()": "export const now = new Date();",
    "new Date": "export const now = new Date;",
    "Math.random": "export const dice = Math.random;",
  };
  const wrong = Object.entries(sources).map(([, source], index) => [`src/config/${index}.ts`, source]);
  const { code, lines } = check({
    ...Object.fromEntries(wrong),
    "src/config/sound.ts": "/* Date.now() */ export const date = (ms: number) => new Date(ms);",
    "src/system/clock.ts": "export const now = Date.now();",
  });
  expect({ code, lines }).toEqual({
    code: 1,
    lines: Object.keys(sources).map(
      (name, index) => `src/config/${index}.ts uses ${name}: take time and randomness as arguments`,
    ),
  });
});

test("a sound program passes", () => {
  expect(check({})).toEqual({ code: 0, lines: [], stderr: "" });
});
