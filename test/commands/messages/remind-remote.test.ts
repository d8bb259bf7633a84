import { describe, expect, test } from "vitest";
import { reply } from "../../support/fault-steps.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld } from "../../support/remote-world.js";
import { words } from "../../support/words.js";

/** Reminders of two calendars over HTTP, of which one cannot be read. It is 15:30 in Berlin. */

const REFUSED = reply({
  status: 403,
  headers: { "content-type": "application/json" },
  body: '{"status":403}',
});

/** Personal has an event soon, and Work refuses. */
async function createWorld() {
  const world = await createRemoteWorld();
  const work = await world.service.admin.calendars.add({ name: "Work", owner: "ana" });
  await world.json(...words`events create -c Personal --title Soon --start 15:40 --duration 1h`);
  world.server.on(`GET /calendars/${work.id}/upcoming_events`, [REFUSED]);
  const remind = (...flags: readonly string[]) => world.send("remind", "--before", "15m", ...flags);
  return { world, work, remind };
}

describe("a calendar that cannot be read", () => {
  test("is named beside a program that fails, whose exit code counts", async () => {
    const { work, remind } = await createWorld();
    const { exitCode, stderr } = await remind("--", "false");
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`calendar Work (${work.id}) could not be read`);
    expect(stderr).toContain("false ended with exit code 1");
  });

  test("is exit 12 where the events of the others were announced", async () => {
    const { work, remind } = await createWorld();
    expect(await remind("--", "true")).toMatchObject(failed(12, work.id));
  });

  test("--dry-run prints the events of the others, and nothing where none could be read", async () => {
    const { world, remind } = await createWorld();
    const partly = await remind("--dry-run", "--", "true");
    expect({ ...partly, stdout: JSON.parse(partly.stdout) }).toMatchObject({
      exitCode: 12,
      stdout: [{ title: "Soon" }],
    });
    world.server.on(`GET /calendars/${world.calendarId}/upcoming_events`, [REFUSED]);
    expect(await remind("--dry-run", "--", "true")).toMatchObject({ exitCode: 6, stdout: "" });
  });
});

test.each([
  [[], "Personal"],
  [["-c", "Personal"], ""],
])("a reminder with the flags %j names the calendar %j", async (flags, calendar) => {
  const { world } = await createWorld();
  world.server.on("POST /hook", [reply({ status: 200, headers: {}, body: "ok" })]);
  const env = { ...world.env, CALCTL_WEBHOOK_URL: `${world.server.baseUrl}/hook` };
  await world.runWith({ env }, "remind", "--before", "15m", "--as", "json", ...flags);
  const [posted] = world.server.requests.filter(({ target }) => target === "/hook");
  expect(JSON.parse(posted?.body.toString() ?? "")).toMatchObject({ days: [{ entries: [{ calendar }] }] });
});

test.each([
  ["remind", "--before", "15m", "--", "true"],
  ["post", "--as", "json"],
])("%s names the only calendar when it cannot be read", async (...argv) => {
  const { world, work } = await createWorld();
  const env = { ...world.env, CALCTL_WEBHOOK_URL: `${world.server.baseUrl}/hook` };
  const { exitCode, stderr } = await world.runWith({ env }, "-c", "Work", ...argv);
  expect(exitCode).toBe(6);
  expect(stderr).toMatch(new RegExp(`^error: (nothing was posted: )?calendar Work \\(${work.id}\\): `));
});
