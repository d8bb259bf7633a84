import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { QUIET } from "../support/outcomes.js";
import { createInstallation, PROGRAM } from "../support/spawned.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** What V8 does with undici's WebAssembly parser, which the program cannot end before. */

/** One request each, of an event that does not exist: more than V8 takes to find the parser worth optimizing. */
const IDS = Array.from({ length: 20 }, (_, index) => String(900_000 + index));

async function createClient() {
  const service = createInstallation().start(
    ...["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"],
  );
  const { base_url: url, token } = JSON.parse(await service.stdoutWith("\n"));
  return createInstallation({ CALCTL_BASE_URL: url, CALCTL_TOKEN: token });
}

test("the response parser is compiled, and never optimized", async () => {
  const client = await createClient();
  const program = `"${process.execPath}" --trace-wasm-compilation-times "${PROGRAM}"`;
  const { exitCode, stdout } = await client.shell(`${program} events get -c Family ${IDS.join(" ")}`);
  expect(exitCode).toBe(5);
  expect(stdout).toContain("using Liftoff");
  expect(stdout).not.toContain("using TurboFan");
});

/** Gives Node the version of a later one, whose V8 knows no flag. */
function pretendLaterNode(): string {
  const folder = temporaryFolder();
  const preload = join(folder, "preload.cjs");
  writeFileSync(
    preload,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "99.0.0" } });
    require("node:v8").setFlagsFromString = (flag) => console.error("Error: unrecognized flag " + flag);`,
  );
  return preload;
}

test.each(["labels -c Family -q", "labels -c Family -q --jq length"])(
  "on a Node whose V8 may not know the flag, calctl %s prints nothing on stderr",
  async (line) => {
    const client = await createClient();
    const program = `"${process.execPath}" -r "${pretendLaterNode()}" "${PROGRAM}"`;
    expect(await client.shell(`${program} ${line} >/dev/null`)).toEqual(QUIET);
  },
);
