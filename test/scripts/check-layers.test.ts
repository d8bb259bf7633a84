import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

const SCRIPT = fileURLToPath(new URL("../../scripts/check-layers.mjs", import.meta.url));

/** Files of a sound little program, to which a case adds some. */
const SOUND: Readonly<Record<string, string>> = {
  "bin/calctl.ts": `import { run } from "../src/cli/run.js"; import { createHost } from "../src/run/host.js"; run(createHost(process));`,
  "src/cli/run.ts": `import { program } from "./program.js"; export const run = program;`,
  "src/cli/program.ts": `export const program = async (_host: unknown) => (await import("../commands/user.js")).user;`,
  "src/commands/user.ts": `import { day } from "../calendar/day.js"; import type { Limits } from "../../contract/limits.js"; export const user = (limits: Limits) => [day, limits];`,
  "src/calendar/day.ts": `import { LIMITS } from "../../contract/limits.js"; import { VERSION } from "../version.js"; export const day = [LIMITS, VERSION];`,
  "contract/limits.ts": `export interface Limits { readonly title: number } export const LIMITS: Limits = { title: 50 };`,
  "src/version.ts": `export const VERSION = "1";`,
  "src/run/host.ts": `import { now } from "./clock.js"; export const createHost = (p: unknown) => [p, now, import("../../service/service.js"), import("../api/network/transport.js")];`,
  "src/run/clock.ts": `export const now = () => Date.now();`,
  "service/service.ts": `import { LIMITS } from "../contract/limits.js"; export const service = LIMITS;`,
  "src/api/network/transport.ts": `import { request } from "undici"; export const transport = request;`,
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
    "src/calendar/month.ts": `export { service as day } from "../../service/service.js";`,
    "contract/ids.ts": `export const ids = () => import("../src/calendar/day.js");`,
    "src/commands/limits.ts": `export { LIMITS as user } from "../../contract/limits.js";`,
    "src/run/visit.ts": `export { user } from "../commands/user.js";`,
    "src/cli/serve.ts": `export const serve = () => import("../../service/service.js");`,
    "src/api/client.ts": `export { transport } from "./network/transport.js";`,
    "src/errors.ts": `import { env } from "node:process"; export const home = env.HOME;`,
    "src/calendar/week.ts": `import type { now } from "../run/clock.js";\nexport type Week = typeof now;`,
    "service/views/user.ts": `export { service } from "../service.js";`,
    "src/api/agent.ts": `export { Agent } from "undici/lib/agent.js";`,
  });
  expect(code).toBe(1);
  const expected = [
    "contract/ids.ts -> src/calendar/day.ts: contract may load no layer, not calendar",
    "service/views/user.ts -> service/service.ts: service/views may load output, not service",
    "src/api/agent.ts -> undici: only one file may import it",
    "src/api/client.ts -> src/api/network/transport.ts: only run chooses the transport",
    "src/api/network/transport.ts -> undici: only one file may import it",
    "src/calendar/month.ts -> service/service.ts: calendar may load contract, events, errors, not service",
    "src/calendar/week.ts -> src/run/clock.ts: calendar may have the types of contract, events, errors, not run",
    "src/cli/serve.ts -> service/service.ts: cli may load ",
    "src/commands/limits.ts -> contract/limits.ts: commands may load cli, calendar, events, import, output, messages, state, errors, commands/config, commands/doctor, commands/import, commands/mcp, commands/programs, not contract",
    "src/errors.ts -> node:process: take what you need as an argument",
    "src/run/visit.ts -> src/commands/user.ts: run may load ",
  ];
  expect(lines).toEqual(expected.map((line) => expect.stringContaining(line)));
});

test("a file of no layer is reported", () => {
  const { code, lines } = check({ "src/extras/more.ts": "export const more = 1;" });
  expect({ code, lines }).toEqual({
    code: 1,
    lines: [expect.stringContaining("src/extras/more.ts: give it a layer")],
  });
});

describe("globals of the outermost files", () => {
  test("each is seen", () => {
    const sources: readonly (readonly [string, string])[] = [
      ["process", "export const home = process.env.HOME;"],
      ["console", "console.log(1);"],
      ["Date.now", "export const now = Date.now();"],
      ["new Date()", "export const now = new Date();"],
      ["new Date()", "export const now = new Date;"],
      ["Math.random", "export const dice = Math.random;"],
      ["fetch", "export const send = (f = fetch) => f;"],
      ["Request", "export const request = new Request('x');"],
      ["Response", "export const is = (x: unknown) => x instanceof Response;"],
      ["Headers", "export const headers = { Headers };"],
      ["globalThis", "export const send = globalThis.fetch;"],
    ];
    const { code, lines } = check(
      Object.fromEntries(sources.map(([_name, source], index) => [`src/config/${index + 10}.ts`, source])),
    );
    expect(code).toBe(1);
    expect(lines).toEqual(
      sources.map(([name], index) => expect.stringContaining(`src/config/${index + 10}.ts uses ${name}: `)),
    );
  });

  test("a sound program passes, with what only looks like one, and in outermost files", () => {
    const sources = [
      "export const local = (process: { env: string }) => process.env;",
      "export const property = (job: { process(): void }) => job.process();",
      "export type Send = (headers: Headers) => Response;",
      "/* fetch Date.now() */ export const text = 'console process';",
      "export const date = (ms: number) => new Date(ms);",
    ];
    const outermost = [
      "src/secrets/keychain-helper.ts",
      "src/system/sqlite/driver.ts",
      "src/system/v8-flags.ts",
    ];
    const changes = Object.fromEntries([
      ...sources.map((source, index) => [`src/config/${index}.ts`, source] as const),
      ...outermost.map((file) => [file, "export const input = process.stdin;"] as const),
    ]);
    expect(check(changes)).toEqual({ code: 0, lines: [], stderr: "" });
  });
});
