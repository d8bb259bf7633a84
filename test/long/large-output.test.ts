import { expect, test } from "vitest";
import { labelView } from "../../src/events/views/calendar.js";
import { WORK_LABEL } from "../output/fixtures.js";
import { rendered } from "../output/rendered.js";
import { createHarness } from "../support/harness.js";
import { startWireRecorder } from "../support/wire-recorder.js";

/** Output that is large, or does not fit. */

/** More than a function call takes arguments. */
const MANY = 150_000;

test("a table may have more rows than a function call takes arguments", async () => {
  const labels = Array<typeof WORK_LABEL>(MANY).fill(WORK_LABEL);
  const rows = (await rendered(labelView, labels, { columns: 80 })).split("\n");
  // A header, and the end of the last line.
  expect(rows).toHaveLength(MANY + 2);
});

async function startService() {
  const harness = await createHarness();
  const recorder = await startWireRecorder(harness.service);
  const env = { CALCTL_BASE_URL: recorder.baseUrl, CALCTL_TOKEN: "token-0123456789", NO_COLOR: "1" };
  return { recorder, run: (...argv: readonly string[]) => harness.runWith({ env, columns: 80 }, ...argv) };
}

test("a list may have more events than a function call takes arguments", async () => {
  const { recorder, run } = await startService();
  const data = Array.from({ length: MANY }, (_, id) => ({ type: "event", id: `e${id}`, attributes: {} }));
  recorder.answer("GET /calendars/7/upcoming_events", { status: 200, body: JSON.stringify({ data }) });
  recorder.answer("GET /calendars", {
    status: 200,
    body: '{"data":[{"type":"calendar","id":"7","attributes":{"name":"A"}}]}',
  });
  const { stdout, stderr } = await run("events", "list", "--fields", "id", "-o", "tsv");
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toHaveLength(data.length);
});

test("an error may have more details than a function call takes arguments", async () => {
  const { recorder, run } = await startService();
  const fields = Array.from({ length: MANY }, (_, id) => `"f${id}":["no"]`);
  recorder.answer("GET /user", { status: 400, body: `{"errors":{${fields.join(",")}}}` });
  for (const flags of [[], ["--debug"]]) {
    const { exitCode, stdout, stderr } = await run("whoami", "-o", "json", ...flags);
    expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: "" });
    const last = stderr.trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({ error: { code: "rejected", status: 400 } });
  }
  const { exitCode, stderr } = await run("whoami");
  expect(exitCode).toBe(11);
  expect(stderr).toMatch(/^error: the current user: the service refused the request \(400\)\n/);
  expect(stderr.length).toBeLessThan(30_000);
});

test("a list that does not fit into the memory of jq is an error of usage", async () => {
  const { run } = await createHarness();
  const { exitCode, stderr } = await run("calendars", "--jq", '[limit(5e7; repeat("a"))]');
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("--jq: the program needs more than 256 MiB of memory"),
  });
});
