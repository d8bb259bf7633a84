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

test("on SIGTERM it is not ready, but serves on", async () => {
  const { running, statusOf } = await startService("--drain", "3600");
  expect(await statusOf("/readyz")).toBe(200);
  running.child.kill("SIGTERM");
  await running.stderrWith("stopping in 3600 s");
  const statuses = [await statusOf("/readyz"), await statusOf("/user"), await statusOf("/readyz")];
  expect(statuses).toEqual([503, 200, 503]);
  await running.stderrWith("ms: the service is stopping\n");
});

test("after the time it stops with 0", async () => {
  const { running, statusOf } = await startService("--drain", "1");
  running.child.kill("SIGTERM");
  const { exitCode, stderr } = await running.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("stopping in 1 s") });
  expect(await statusOf("/readyz")).toBeNull();
});

/** Begins a request while the service drains. Null if that was over before, as on a machine that has much else to do. */
async function beginWhileItDrains(seconds: number) {
  const { running, url, token, statusOf } = await startService("--drain", String(seconds));
  running.child.kill("SIGTERM");
  await running.stderrWith("stopping in");
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    expect: "100-continue",
  };
  const slow = request(`${url}/calendars/x/events`, { method: "POST", agent: false, headers });
  slow.flushHeaders();
  const hasBegun = await once(slow, "continue").then(
    () => true,
    () => false,
  );
  return hasBegun ? { running, slow, statusOf } : null;
}

test("a request that began while it drained is answered in full", async () => {
  const begun = (await beginWhileItDrains(1)) ?? (await beginWhileItDrains(30));
  if (begun === null) throw new Error("no request could begin");
  const { running, slow, statusOf } = begun;
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
