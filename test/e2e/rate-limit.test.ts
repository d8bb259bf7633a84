import { expect, test } from "vitest";
import { startFaultServer } from "../support/fault-server.js";
import { reply } from "../support/fault-steps.js";
import { createInstallation } from "../support/spawned.js";

const ANA = '{"data":{"id":"u1","type":"user","attributes":{"name":"Ana"}}}';

test("processes that share a token wait together for the limit that one of them has used up", async () => {
  let reset = 0;
  let tooEarly = 0;
  const server = await startFaultServer();
  server.otherwise([
    reply(() => {
      const now = Date.now();
      if (now < reset * 1000) tooEarly += 1;
      // The first answer is the last of its window; whoever comes after the reset finds enough.
      const first = reset === 0;
      if (first) reset = Math.ceil(now / 1000) + 3;
      const headers = {
        date: new Date(now).toUTCString(),
        "x-ratelimit-limit": "600",
        "x-ratelimit-remaining": first ? "0" : "599",
        "x-ratelimit-reset": String(reset),
      };
      return { status: 200, headers, body: ANA };
    }),
  ]);
  const calctl = createInstallation({ CALCTL_BASE_URL: server.baseUrl, CALCTL_TOKEN: "shared-token" });
  expect((await calctl.run("whoami")).exitCode).toBe(0);
  const runs = await Promise.all(Array.from({ length: 5 }, () => calctl.run("whoami")));
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
  // On a slow machine one of them may begin after the reset.
  expect(
    runs.some(({ stderr }) => /^the service's rate limit is used up: waiting \d s\n$/.test(stderr)),
  ).toBe(true);
  expect(tooEarly).toBe(0);
  expect(server.requests).toHaveLength(6);
});
