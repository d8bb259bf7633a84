import { expect, test } from "vitest";
import { startFaultServer } from "../../support/fault-server.js";
import { reply } from "../../support/fault-steps.js";
import { createRemoteWorld } from "../../support/remote-world.js";

/** post, remind and events changes say nothing unless something is wrong: cron mails whatever is printed. */

test.each([
  [["post", "--as", "json"]],
  [["post", "--as", "json", "--changes", "team"]],
  [["remind", "--before", "15m", "--", "true"]],
  [["events", "changes", "--since-last", "names"]],
])("%j does not report a retry that helped, except with -v", async (argv) => {
  const world = await createRemoteWorld();
  const hook = await startFaultServer({ timers: world.timers });
  hook.otherwise([reply({ status: 200, headers: {}, body: "ok" })]);
  const env = {
    ...world.env,
    CALCTL_WEBHOOK_URL: `${hook.baseUrl}/hooks/s3cret`,
    CALCTL_STATE_DIR: world.directory,
  };
  const runAfterFailure = (...flags: readonly string[]) => {
    world.server.next([reply({ status: 503 })]);
    return world.runWith({ env }, ...flags, ...argv);
  };
  expect(await runAfterFailure()).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await runAfterFailure("-v")).stderr).toContain("retrying");
});
