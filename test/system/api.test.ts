import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFaultServer } from "../support/fault-server.js";
import { reply } from "../support/fault-steps.js";
import { createInstallation } from "../support/spawned.js";

test.each([200, 404])("api prints the body of a %i byte for byte", async (status) => {
  const server = await startFaultServer();
  const body = Buffer.concat([Buffer.from("\ufeff\r\n\0\u001b[31m"), randomBytes(300_000)]);
  server.on("GET /x", [reply({ status, body })]);
  const { shell, home } = createInstallation({ CALCTL_BASE_URL: server.baseUrl, CALCTL_TOKEN: "t" });
  const { stdout } = await shell("calctl api /x 2>/dev/null | sha256sum");
  expect(stdout.split(" ")[0]).toBe(createHash("sha256").update(body).digest("hex"));
  await shell(`calctl api /x 2>/dev/null >"${home}/out"`);
  expect(readFileSync(join(home, "out")).equals(body)).toBe(true);
});
