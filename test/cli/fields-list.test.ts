import { expect, test } from "vitest";
import { createHarness } from "../support/harness.js";

const EVENT_FIELDS =
  "id calendar_id calendar_name category title all_day start_at start_timezone end_at end_timezone start_local " +
  "end_local recurrences description location url created_at updated_at creator label attendees series_id";

const CONFIG_FIELDS =
  "base_url auth_url client_id redirect_uri media_type calendar write_calendar timezone label duration hours " +
  "week_start token_command journal";

const ALL = [
  ["events list --fields", EVENT_FIELDS],
  ["events list --fields -o json --days 7", EVENT_FIELDS],
  ["--fields -c Family events list", EVENT_FIELDS],
  ["events get --fields", EVENT_FIELDS],
  ["events get no-such-id another --fields", EVENT_FIELDS],
  ["events create --fields", EVENT_FIELDS],
  ["events update --fields", EVENT_FIELDS],
  ["events delete --fields", "deleted"],
  ["events move --fields", EVENT_FIELDS],
  ["add --fields", EVENT_FIELDS],
  ["agenda --fields", EVENT_FIELDS],
  ["next --fields", EVENT_FIELDS],
  ["free --fields", "start_at end_at start_local end_local"],
  ["conflicts --fields", "first second"],
  ["calendars --fields", "id name description color order image_url created_at labels members"],
  ["labels --fields", "id number name color"],
  ["members --fields", "id type name description image_url"],
  ["whoami --fields", "id type name description image_url"],
  ["comment --fields", "id event_id calendar_id content created_at updated_at"],
  ["status --fields", "profile base_url token_source signed_in user rate_limit clock_skew_seconds"],
  ["token --fields", "token"],
  ["profiles list --fields", "name base_url in_use"],
  ["config get --fields", CONFIG_FIELDS],
  ["config list --fields", CONFIG_FIELDS],
  [
    "service start --fields",
    "base_url auth_url listen metrics_url token client_id client_secret redirect_uris user other_user",
  ],
  ["service users list --fields", "id name login"],
  ["service tokens create --fields", "id user_id read_only created_at token"],
  ["service members add --fields", "id type name description image_url"],
] as const;

test("--fields at the end lists the fields and sends nothing", async () => {
  const { runWith } = await createHarness();
  // Nothing listens there.
  const env = { CALCTL_BASE_URL: "https://127.0.0.1:1", CALCTL_TOKEN: "t" };
  for (const [line, fields] of ALL)
    expect({ line, ...(await runWith({ env }, ...line.split(" "))) }).toEqual({
      ...{ line, exitCode: 0, stderr: "" },
      stdout: `${fields.replaceAll(" ", "\n")}\n`,
    });
});

test.each([
  ["events list --fields=id", ""],
  ["--fields id events list", ""],
  ["--fields id -o json events list", "[]\n"],
  ["--fields id -c=Personal events list", ""],
])("%s still takes a value", async (line, stdout) => {
  const { run } = await createHarness();
  expect(await run(...line.split(" "))).toEqual({ exitCode: 0, stdout, stderr: "" });
});

test.each([
  ["events get --fields some-id", "calctl events get needs ID"],
  ["service users add --fields some-id", "calctl service users add needs NAME"],
  ["service members add -c Personal --fields some-id", "calctl service members add needs USER"],
  ["service calendars add --fields some-id", "calctl service calendars add needs NAME"],
  ["service clients add --fields some-id", "calctl service clients add needs NAME and --redirect-uri"],
])("%s: the argument is taken for the value of --fields, which the hint says", async (line, problem) => {
  const { run } = await createHarness();
  expect(await run(...line.split(" "))).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: ${problem}\nhint: "some-id" is the value of --fields; put --fields at the end to list the fields\n`,
  });
});

test.each([
  ["events list --fields=", "--fields: a field name is empty"],
  ["events list --fields id --fields title", "--fields was given twice"],
  ["events list --fields id --fields", "--fields was given twice"],
  ["logout --fields", "--fields: this command prints no data"],
  ["events get", "calctl events get needs ID"],
])("%s is exit 2", async (line, message) => {
  const { run } = await createHarness();
  const { exitCode, stdout, stderr } = await run(...line.split(" "));
  expect({ exitCode, stdout, message: stderr.split("\n")[0] }).toEqual({
    exitCode: 2,
    stdout: "",
    message: `error: ${message}`,
  });
});
