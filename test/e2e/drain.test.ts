import { once } from "node:events";
import { request } from "node:http";
import { expect, test } from "vitest";
import { createInstallation } from "../support/spawned.js";

/** How `service start --drain` stops, as a load balancer and its clients see it. */

const START = ["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"];

async function startService(...flags: readonly string[]) {
  const running = createInstallation().start(...START, ...flags);
  const { base_url: url, token } = JSON.parse(await running.stdoutWith("\n"));
  /** The status, on a connection of its own; null when it is refused. */
  const statusOf = (path: string): Promise<number | null> =>
    new Promise((resolve) => {
      const headers = { authorization: `Bearer ${token}` };
      const asked = request(`${url}${path}`, { agent: false, headers }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? null));
      });
      asked.once("error", () => resolve(null)).end();
    });
  return { running, url, token, statusOf };
}

test("on SIGTERM it is first not ready, then serves for the time, then stops with 0", async () => {
  const { running, statusOf } = await startService("--drain", "1");
  expect(await statusOf("/readyz")).toBe(200);
  const seen: (readonly [number | null, number | null])[] = [];
  running.child.kill("SIGTERM");
  for (;;) {
    const ready = await statusOf("/readyz");
    const served = await statusOf("/user");
    seen.push([ready, served]);
    if (ready === null) break;
  }
  const { exitCode, stderr } = await running.ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringMatching(/\/readyz 503 \d+ ms: the service is stopping\n/),
  });
  expect(stderr).toContain("stopping in 1 s");
  const steps = seen.map(([ready, served]) => `${ready} ${served}`);
  // The signal may come after the first look, and the end between the two of a round.
  const once = steps.filter((step, index) => step !== steps[index - 1]);
  expect(once.filter((step) => !["200 200", "503 null"].includes(step))).toEqual(["503 200", "null null"]);
});

test("a request that began while it drained is answered in full", async () => {
  const { running, url, token, statusOf } = await startService("--drain", "1");
  running.child.kill("SIGTERM");
  while ((await statusOf("/readyz")) === 200);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    expect: "100-continue",
  };
  const slow = request(`${url}/calendars/x/events`, { method: "POST", agent: false, headers });
  slow.flushHeaders();
  await once(slow, "continue");
  while ((await statusOf("/healthz")) !== null);
  slow.end('{"data":{}}');
  const [response] = await once(slow, "response");
  expect(response.statusCode).toBe(404);
  response.resume();
  expect((await running.ended).exitCode).toBe(0);
});

test("a second signal ends it at once", async () => {
  const { running, statusOf } = await startService("--drain", "3600");
  running.child.kill("SIGTERM");
  while ((await statusOf("/readyz")) === 200);
  // One this soon counts as the same.
  while (running.child.exitCode === null && running.child.signalCode === null) {
    running.child.kill("SIGINT");
    await statusOf("/healthz");
  }
  await running.ended;
  expect(running.child.signalCode).toBe("SIGINT");
});

test.each(["SIGINT", "SIGHUP"] as const)("%s does not wait", async (signal) => {
  const { running } = await startService("--drain", "3600");
  running.child.kill(signal);
  const { exitCode, stderr } = await running.ended;
  expect({ exitCode, waits: stderr.includes("stopping in") }).toEqual({ exitCode: 0, waits: false });
});

test.each(["-1", "x", "", "3601", "1e3"])("--drain=%s is exit 2", async (seconds) => {
  const { exitCode, stderr } = await createInstallation().run(...START, `--drain=${seconds}`);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("--drain") });
});
