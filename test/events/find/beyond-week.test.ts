import { beforeEach, describe, expect, test } from "vitest";
import { reply } from "../../support/fault-steps.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld, type RemoteWorld, remoteWorldsWith } from "../../support/remote-world.js";
import { share } from "../../support/shared.js";
import { words } from "../../support/words.js";

/** Events of any days and comments, from a service that lists them and from one that does not. Now is Saturday 21 November. */

const createWorld = remoteWorldsWith(async (made) => {
  await made.service.admin.calendars.add({ name: "Work", owner: made.userId });
  const create = (title: string, start: string, ...flags: readonly string[]) =>
    made.json("events", "create", "--title", title, "--start", start, ...flags);
  const hour = ["-c", "Personal", "--duration", "1h"];
  await create("Last year", "2025-11-21T12:00", ...hour);
  await create("Tomorrow", "2026-11-22T09:00", ...hour, "--label", "2");
  await create("In a month", "2026-12-21T23:30", ...hour, "--location", "Dentist's");
  await create("At work", "2026-12-21T08:00", "-c", "Work", "--duration", "1h");
  await create("Holiday", "2026-12-20", "-c", "Personal", "--all-day", "--end", "2026-12-23");
});

const shared = share(createWorld);
let world: RemoteWorld;
beforeEach(() => {
  world = shared();
  world.server.forget();
});

const list = (...flags: readonly string[]) => world.send("events", "list", "--fields", "title", ...flags);

/** The titles of a list that must succeed. */
async function titles(...flags: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await list(...flags);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return stdout.split("\n").slice(0, -1);
}

/** The requests for events of any days: their queries. */
function queries(): readonly Readonly<Record<string, string>>[] {
  return world.server.requests.filter(({ path }) => path.endsWith("/events")).map(({ query }) => query);
}

const PERSONAL = ["-c", "Personal"] as const;

describe("the days of a list", () => {
  test.each([
    ["--on 2026-12-21", "Holiday, At work, In a month"],
    ["--from 2026-12-21 --to 2026-12-31", "Holiday, At work, In a month"],
    ["--from 2026-12-22", "Holiday, In a month"],
    ["--from 2026-12-01", "Holiday, At work, In a month"],
    ["--to 2026-11-30", "Lunch, Tomorrow"],
    ["--to 2026-11-21", "Lunch"],
    ["--from 2025-01-01 --to 2025-12-31", "Last year"],
    ["--from 2026-12-18 --days 3", "Holiday"],
    ["--days 30", "Lunch, Tomorrow, Holiday"],
    ["--days 31 --search o", "Tomorrow, Holiday, At work, In a month"],
    ["--on tomorrow", "Tomorrow"],
    ["--on 2026-12-21 --timezone America/New_York", "Holiday, At work, In a month"],
    ["--on 2026-12-22 --timezone Asia/Tokyo", "Holiday, In a month"],
  ])("%s", async (flags, expected) => {
    expect((await titles(...flags.split(" "))).join(", ")).toBe(expected);
  });

  test("words are explained on stderr, and refused with --strict-dates", async () => {
    const { stderr } = await list("--from", "21 dec", "--to", "tue");
    expect(stderr).toBe("from: Mon 2026-12-21\nto: Tue 2026-12-22\n");
    const strict = await list("--strict-dates", "--on", "tomorrow");
    expect(strict).toMatchObject({ exitCode: 2, stdout: "" });
    expect(strict.stderr).toContain('--on: "tomorrow" is not an ISO 8601 date');
    expect(await titles("--strict-dates", "--on", "2026-11-22")).toEqual(["Tomorrow"]);
  });

  test.each([
    [["--on", "fri", "--from", "mon"], "either --on or --from"],
    [["--on", "fri", "--to", "mon"], "either --on or --to"],
    [["--on", "fri", "--days", "2"], "either --on or --days"],
    [["--to", "fri", "--days", "2"], "either --to or --days"],
    [["--from", "mon", "--to", "fri", "--days", "2"], "either --to or --days"],
    [["--from", "2026-12-02", "--to", "2026-12-01"], "--to: 2026-12-01 is before 2026-12-02"],
    [["--to", "2026-11-20"], "--to: 2026-11-20 is over"],
    [["--on", "2026-02-30"], "--on: the date 2026-02-30 does not exist"],
    [["--from", "tomorrow 3pm"], '--from: "tomorrow 3pm" is a time, not a day'],
    [["--on", "2026-11-21T15:00"], '--on: "2026-11-21T15:00" is a time, not a day'],
    [["--from", ""], "--from is empty"],
    [["--search", ""], "--search is empty"],
    [["--search", "x".repeat(201)], "--search is 201 characters long, at most 200 are allowed"],
    [["--from", "2026-12-01", "--days", "367"], "--days"],
  ])("%j is exit 2, and nothing is sent", async (flags, message) => {
    expect(await list(...flags)).toMatchObject(failed(2, message));
    expect(world.server.requests).toEqual([]);
  });

  test("agenda --from shows a week from there, or --days", async () => {
    const { stdout } = await world.send("agenda", "--from", "2026-12-18", "-o", "text");
    expect(stdout).toContain("Thu 24 Dec 2026\n  no events");
    expect(stdout).toContain("→ all day →  Holiday (day 2 of 4)");
    expect(stdout).not.toContain("25 Dec");
    const two = await world.json<{ title: string }[]>("agenda", "--from", "2026-12-20", "--days", "2");
    expect(two.map(({ title }) => title)).toEqual(["Holiday", "At work", "In a month"]);
    expect((await world.send("agenda", "--from", "next")).exitCode).toBe(2);
    const month = await world.send("agenda", "--days", "31", "-o", "text");
    expect(month.stdout.match(/^\w{3} \d+ \w{3} 2026$/gm)).toHaveLength(31);
    expect(month.stdout).toContain("In a month");
  });

  test("agenda WHEN shows its days, or --days from there", async () => {
    const days = async (...when: readonly string[]) => {
      const { stdout } = await world.send("agenda", ...when, "-o", "text");
      return stdout.match(/^\w{3} \d+ \w{3} 2026$/gm) ?? [];
    };
    expect(await days("tomorrow")).toHaveLength(1);
    expect(await days("next", "week")).toHaveLength(7);
    expect(await days("december")).toHaveLength(31);
    expect((await days("20 dec", "--days", "2")).at(-1)).toBe("Mon 21 Dec 2026");
    expect(await world.send("agenda", "tomorrow", "--from", "today")).toMatchObject(
      failed(2, "--from: the days are already set"),
    );
  });

  test("the grid of another year names it", async () => {
    const grid = async (from: string) => {
      const flags = ["week", "--from", from, "--color", "never"];
      return (await world.runWith({ columns: 100, env: world.env }, ...flags)).stdout.split("\n")[0];
    };
    expect(await grid("2027-03-01")).toMatch(/^2027 +Mon 1 Mar/);
    expect(await grid("2026-12-21")).toMatch(/^ +Mon 21 Dec/);
  });

  test("a list without an end has each event once, one with an end on each of its days", async () => {
    const count = async (...flags: readonly string[]) =>
      (await world.send("events", "list", "-o", "text", ...flags)).stdout.split("Holiday").length - 1;
    expect(await count("--from", "2026-12-01", "--to", "2026-12-31")).toBe(4);
    expect(await count("--from", "2026-12-22", "--to", "2026-12-31")).toBe(2);
    expect(await count("--from", "2026-12-21")).toBe(1);
    expect(await count("--search", "holiday")).toBe(1);
  });

  test("what is not there is said on a terminal, and with --fail-empty", async () => {
    const { exitCode, stdout, stderr } = await world.runWith(
      { columns: 80, env: world.env },
      ...["events", "list", "--from", "2027-01-01", "--to", "2027-01-31", "--fail-empty"],
    );
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 3,
      stdout: "",
      stderr: "no events from 2027-01-01 to 2027-01-31\n",
    });
    expect(await list("--search", "nothing", "--fail-empty", "-o", "ndjson")).toEqual({
      exitCode: 3,
      stdout: "",
      stderr: "",
    });
  });
});

describe("a search", () => {
  test.each([
    ["--search DENT", "In a month"],
    ["--search o", "Tomorrow, Holiday, At work, In a month"],
    ["--search a", "Last year, Holiday, At work, In a month"],
    ["--search a --from 2026-12-01", "Holiday, At work, In a month"],
    ["--search o --days 2", "Tomorrow"],
    ["--search %", ""],
  ])("%s", async (flags, expected) => {
    expect((await titles(...flags.split(" "))).join(", ")).toBe(expected);
  });
});

test("filters, formats and several calendars work with days and searches", async () => {
  const days = ["--from", "2025-01-01", "--to", "2027-01-01"] as const;
  expect(await titles(...days, "--label", "2")).toEqual(["Tomorrow"]);
  expect(await titles(...days, "--category", "keep")).toEqual([]);
  expect(await titles(...days, "--remaining")).toEqual(["Tomorrow", "Holiday", "At work", "In a month"]);
  expect(await titles(...days, "--mine", "-c", "Work")).toEqual(["At work"]);
  expect(await titles("--search", "a", "-A")).toHaveLength(4);
  expect((await list(...days, "--label", "no such label")).exitCode).toBe(5);
  for (const format of ["table", "tsv", "csv", "json", "ndjson", "markdown", "text", "ics"]) {
    const { exitCode, stdout } = await world.send("events", "list", ...days, "-o", format);
    expect({ format, exitCode }).toEqual({ format, exitCode: 0 });
    for (const title of ["Last year", "At work", "Holiday"]) expect(stdout).toContain(title);
  }
  expect(await world.send("events", "list", ...days, "--jq", "length")).toMatchObject({ stdout: "6\n" });
});

test("ndjson has the events of several calendars in the order of the other formats", async () => {
  for (const flags of [
    ["--search", "a"],
    ["--from", "2026-12-01"],
    ["--to", "2026-12-31", "--label", "1"],
  ]) {
    const json = await world.json<unknown[]>("events", "list", ...flags);
    const { stdout } = await world.send("events", "list", ...flags, "-o", "ndjson");
    expect(
      stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual(json);
    expect(json.length).toBeGreaterThan(0);
  }
});

test.each(["ndjson", "json"])(
  "a failure that every calendar would have is not asked for again (%s)",
  async (format) => {
    world = await createWorld();
    for (const name of ["A", "B", "C", "D"])
      await world.service.admin.calendars.add({ name, owner: world.userId });
    const calendars = await world.json<{ id: string }[]>("calendars", "--fields", "id");
    world.server.forget();
    const refused = reply({ status: 401, body: "" });
    for (const { id } of calendars) world.server.on(`GET /calendars/${id}/events`, [refused]);
    const { exitCode, stdout, stderr } = await list("-A", "--on", "2026-12-21", "-o", format);
    expect({ exitCode, stdout, requests: queries().length }).toEqual({
      exitCode: 4,
      stdout: "",
      requests: 4,
    });
    const untried = /^calendars not tried: (.*)$/m.exec(stderr)?.[1]?.split(", ");
    expect(untried).toHaveLength(calendars.length - 4);
  },
);

test("a list asks for whole days in the chosen zone, with everything that it shows", async () => {
  await list(
    ...PERSONAL,
    ...words`--from 2026-12-01 --to 2026-12-31 --search "50% of ü" --timezone Asia/Tokyo`,
  );
  await list(...PERSONAL, "--search", "x");
  const include = "creator,label,attendees";
  expect(queries()).toEqual([
    {
      ...{ from: "2026-12-01", to: "2026-12-31", timezone: "Asia/Tokyo", search: "50% of ü" },
      ...{ limit: "500", include },
    },
    { timezone: "Europe/Berlin", search: "x", limit: "500", include },
  ]);
});

describe.each([404, 405])("a service that answers %i because it lists only the next days", (status) => {
  const limited = share(async () => {
    const made = await createWorld();
    made.server.on(`GET /calendars/${made.calendarId}/events`, [reply({ status, body: "" })]);
    return made;
  });
  beforeEach(() => {
    world = limited();
    world.server.forget();
  });

  test.each([
    [["--on", "tomorrow"], ["Tomorrow"], "2"],
    [["--on", "2026-11-21"], ["Lunch"], "1"],
    [["--to", "2026-11-27"], ["Lunch", "Tomorrow"], "7"],
    [["--from", "2026-11-22", "--days", "2"], ["Tomorrow"], "3"],
    [["--search", "LUN", "--days", "7"], ["Lunch"], "7"],
  ])("is asked for those with %j", async (flags, expected, days) => {
    expect(await titles(...PERSONAL, ...flags)).toEqual(expected);
    const [upcoming, ...more] = world.server.requests.filter(({ path }) => path.endsWith("/upcoming_events"));
    expect(upcoming?.query).toMatchObject({ days, timezone: "Europe/Berlin" });
    expect(more).toEqual([]);
  });

  test.each([
    [["--on", "2026-11-28"], "use --days up to 7, or"],
    [["--on", "yesterday"], "use --days up to 7, or"],
    [["--from", "tomorrow"], "use --days up to 7, or"],
    [["--days", "8"], "use --days up to 7, or"],
    [["--search", "x"], "add --days 7 to search those, or"],
  ])("cannot list %j: exit 11", async (flags, hint) => {
    const { exitCode, stdout, stderr } = await list(...PERSONAL, ...flags, "-q");
    expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: "" });
    expect(stderr).toBe(
      `error: this service lists only the next 7 days\nhint: ${hint} days from 2026-11-21 to 2026-11-27\n`,
    );
  });

  test.each([["agenda"], ["post", "--as", "json"]])(
    "cannot show a fortnight of %s: exit 11",
    async (...argv) => {
      const env = { ...world.env, CALCTL_WEBHOOK_URL: world.server.baseUrl };
      expect(await world.runWith({ env }, ...argv, ...PERSONAL, "--days", "14")).toMatchObject(
        failed(11, "this service lists only the next 7 days"),
      );
    },
  );

  test("is exit 12 beside a calendar that lists them", async () => {
    const { exitCode, stdout, stderr } = await list("--on", "2026-12-21", "-o", "ndjson");
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '{"title":"At work"}\n' });
    expect(stderr).toContain(`(${world.calendarId}) could not be read: this service lists only`);
  });
});

test("a calendar that is gone is exit 5, not 11", async () => {
  world = await createWorld();
  await world.service.admin.calendars.remove("Work");
  for (const flags of [
    ["--on", "2027-01-01"],
    ["--on", "tomorrow"],
  ]) {
    world.server.on("GET /calendars", [reply({ status: 403, body: "" })]);
    const { exitCode, stderr } = await list("-c", "no-such-calendar", ...flags);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 5 });
  }
});

describe("comments", () => {
  const TEXTS = ["Who brings cake?", "I do 🎂\nand *candles* <b>", "\u001b[31m=1+1"];

  const commented = share(async () => {
    const made = await createRemoteWorld();
    const { admin } = made.service;
    const ben = await admin.users.add({ name: "Ben" });
    await admin.members.add("Ben", "Personal");
    const { token } = await admin.tokens.create({ user: ben.id, readOnly: false });
    for (const [index, text] of TEXTS.entries()) {
      made.setNow(made.now() + Number(index > 0) * 60_000);
      const env = index === 1 ? { ...made.env, CALCTL_TOKEN: token } : made.env;
      await made.runWith({ env }, "comment", made.eventId, text);
    }
    return made;
  });
  beforeEach(() => {
    world = commented();
  });

  test("are listed oldest first with their creators, by the id of the event alone", async () => {
    const { stdout } = await world.send("comments", world.eventId, "-o", "json");
    const comments = JSON.parse(stdout);
    expect(comments.map(({ content }: { content: string }) => content)).toEqual(TEXTS);
    expect(comments[1]).toEqual({
      ...{ id: expect.any(String), event_id: world.eventId, calendar_id: world.calendarId },
      ...{ content: TEXTS[1], created_at: "2026-11-21T14:31:00.000Z" },
      updated_at: "2026-11-21T14:31:00.000Z",
      creator: { id: expect.any(String), type: "user", name: "Ben", description: "", image_url: "" },
    });
    const { stdout: lines } = await world.send("comments", world.eventId, "-o", "ndjson");
    expect(
      lines
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual(comments);
  });

  test("in every format", async () => {
    const outputs = ["table", "tsv", "csv", "ndjson", "markdown", "text"].map(async (format) => {
      const { stdout } = await world.send("comments", world.eventId, "-o", format);
      return `== ${format}\n${stdout}`;
    });
    const flags = [
      ["--fields", "creator,content"],
      ["--template", "{{ creator.name }}: {{ content }}"],
      ["--jq", ".[].creator.name"],
    ];
    for (const each of flags) {
      const { stdout } = await world.send("comments", world.eventId, ...each);
      outputs.push(Promise.resolve(`== ${each.join(" ")}\n${stdout}`));
    }
    const screen = await world.runWith(
      { columns: 40, env: { ...world.env, LC_ALL: "C.UTF-8", NO_COLOR: "1" } },
      ...["comments", world.eventId],
    );
    outputs.push(Promise.resolve(`== on a terminal\n${screen.stdout}`));
    const text = (await Promise.all(outputs)).join("\n");
    const ids = text.replaceAll(/[0-9a-f]{32}/g, "<id>").replaceAll(world.calendarId, "<calendar>");
    await expect(ids.replaceAll(/,\d{10,}/g, ",<user>").replaceAll("\u001b", "<1b>")).toMatchFileSnapshot(
      "golden/comments.txt",
    );
    expect((await world.send("comments", world.eventId, "-o", "ics")).exitCode).toBe(2);
  });

  test("none are an empty list, and said on a terminal", async () => {
    const quiet = ["events", "create", "--title", "Quiet", "--start", "2026-11-22T09:00"];
    const { id } = await world.json<{ id: string }>(...quiet);
    expect(await world.json<unknown>("comments", id)).toEqual([]);
    expect(await world.runWith({ columns: 80, env: world.env }, "comments", id)).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "no comments\n",
    });
  });

  test("of an event that is shown on this terminal, by the beginning of its id", async () => {
    const options = { columns: 80, env: world.env };
    await world.runWith(options, "events", "list");
    const { exitCode, stdout } = await world.runWith(options, "comments", world.eventId.slice(0, 8));
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Who brings cake?");
  });

  test("of an event that is not there are exit 5; of an empty id exit 2", async () => {
    expect(await world.send("comments", "0".repeat(32))).toMatchObject({ exitCode: 5, stdout: "" });
    expect(await world.send("comments", "0".repeat(32), ...PERSONAL)).toMatchObject({ exitCode: 5 });
    expect(await world.send("comments", "")).toMatchObject({ exitCode: 2 });
    expect(await world.send("comments")).toMatchObject({ exitCode: 2 });
  });

  test.each([404, 405])("of a service that does not list them (%i) are exit 11", async (status) => {
    world = await createRemoteWorld();
    const path = `/calendars/${world.calendarId}/events/${world.eventId}/activities`;
    world.server.on(`GET ${path}`, [reply({ status, body: "" })]);
    expect(await world.send("comments", world.eventId, ...PERSONAL)).toMatchObject(
      failed(11, "this service does not list comments"),
    );
  });
});
