import { expect, test } from "vitest";
import { createInstallation, PROGRAM } from "../support/spawned.js";

/** What V8 does with undici's WebAssembly parser, which the program cannot end before. */

/** One request each, of an event that does not exist: more than V8 takes to find the parser worth optimizing. */
const IDS = Array.from({ length: 20 }, (_, index) => String(900_000 + index));

test("the response parser is compiled, and never optimized", async () => {
  const service = createInstallation().start(
    ...["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"],
  );
  const { base_url: url, token } = JSON.parse(await service.stdoutWith("\n"));
  const client = createInstallation({ CALCTL_BASE_URL: url, CALCTL_TOKEN: token });
  const program = `"${process.execPath}" --trace-wasm-compilation-times "${PROGRAM}"`;
  const { exitCode, stdout } = await client.shell(`${program} events get -c Family ${IDS.join(" ")}`);
  expect(exitCode).toBe(5);
  expect(stdout).toContain("using Liftoff");
  expect(stdout).not.toContain("using TurboFan");
});
