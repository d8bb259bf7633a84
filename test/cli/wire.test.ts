import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Harness, harnessesWith, type RunResult } from "../support/harness.js";
import { startWireRecorder, type WireRecorder } from "../support/wire-recorder.js";
import { words } from "../support/words.js";

/** Every command's requests as they arrive at a real socket: method, path, query, headers, body. */

interface World extends Harness {
  readonly wire: WireRecorder;
  readonly token: string;
  readonly calendarId: string;
  readonly anaId: string;
  readonly benId: string;
  /** Runs a command line against the socket, with the token in the environment. */
  send(...argv: readonly string[]): Promise<RunResult>;
  /** `METHOD path?query` of every request so far, without the hosts. */
  lines(): readonly string[];
}

const createHarness = harnessesWith(async ({ service: { admin }, userId }) => {
  const ben = await admin.users.add({ name: "Ben" });
  const calendar = await admin.calendars.add({ name: "Family", owner: "ana" });
  await admin.members.add("Ben", "Family");
  const { token } = await admin.tokens.create({ user: "ana", readOnly: false });
  return { token, calendarId: calendar.id, anaId: userId, benId: ben.id };
});

async function createWorld(): Promise<World> {
  const harness = await createHarness();
  const { token } = harness;
  const wire = await startWireRecorder(harness.service);
  const env = { CALCTL_BASE_URL: wire.baseUrl, CALCTL_TOKEN: token };
  return {
    ...harness,
    wire,
    send: (...argv) => harness.runWith({ env }, ...argv),
    lines: () =>
      wire.requests.map(({ method, path, query }) => {
        const pairs = Object.entries(query).map(([key, value]) => `${key}=${value}`);
        return `${method} ${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
      }),
  };
}

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

/** An event created by the program; its requests are not recorded. */
async function createEvent(
  ...flags: readonly string[]
): Promise<{ readonly id: string; readonly updated_at: string }> {
  const argv = ["events", "create", "-c", "Family", "--title", "Lunch", "-o", "json", ...flags];
  const times = flags.some((flag) => flag === "--start" || flag === "--category")
    ? []
    : ["--start", "2026-11-21T12:00", "--duration", "1h"];
  const { stdout, stderr, exitCode } = await world.send(...argv, ...times);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  world.wire.requests.splice(0);
  return JSON.parse(stdout);
}

describe("reads", () => {
  test.each([
    ["whoami", [], ["GET /user"]],
    ["status", [], ["GET /user"]],
    ["calendars", [], ["GET /calendars"]],
    ["calendars", ["--include", "labels,members"], ["GET /calendars?include=labels,members"]],
    ["calendars", ["-c", "fam"], ["GET /calendars", "GET /calendars/FAMILY"]],
    ["labels", ["-c", "Family"], ["GET /calendars", "GET /calendars/FAMILY/labels"]],
    ["members", ["--calendar=family"], ["GET /calendars", "GET /calendars/FAMILY/members"]],
  ])("%s %j", async (command, flags, expected) => {
    const { exitCode, stderr } = await world.send(command, ...flags);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(world.lines()).toEqual(expected.map((line) => line.replace("FAMILY", world.calendarId)));
  });

  test("every request has token and media type, and no content type without a body", async () => {
    await world.send("whoami");
    const [{ headers, body } = { headers: {}, body: undefined }] = world.wire.requests;
    expect(headers).toMatchObject({
      authorization: `Bearer ${world.token}`,
      accept: "application/vnd.service.v1+json",
    });
    expect(headers).not.toHaveProperty("content-type");
    expect(body).toBeNull();
  });

  test("events list requests the chosen zone and every include", async () => {
    await world.send("events", "list", "-c", "Family", "--days", "7", "--timezone", "asia/tokyo");
    expect(world.lines()).toEqual([
      "GET /calendars",
      `GET /calendars/${world.calendarId}/upcoming_events?timezone=Asia/Tokyo&days=7&include=creator,label,attendees`,
    ]);
  });

  const EVENTS = "include=creator,label,attendees";

  test("next requests the week, and the rest of the year where nothing of the week is left", async () => {
    const events = `GET /calendars/${world.calendarId}`;
    const week = `${events}/upcoming_events?timezone=Europe/Berlin&days=7&${EVENTS}`;
    const year = `${events}/events?from=2026-11-28&to=2027-11-21&timezone=Europe/Berlin&limit=100&${EVENTS}`;
    await world.send("next", "-c", "Family");
    expect(world.lines()).toEqual(["GET /calendars", week, year]);
    await createEvent("--start", "2026-11-21T18:00", "--duration", "1h");
    const before = world.lines().length;
    await world.send("next", "-c", "Family");
    expect(world.lines().slice(before)).toEqual(["GET /calendars", week]);
  });

  test("free requests the members only for --with", async () => {
    const events = `GET /calendars/${world.calendarId}`;
    const week = `${events}/upcoming_events?timezone=Europe/Berlin&days=7&${EVENTS}`;
    await world.send("free", "-c", "Family");
    expect(world.lines()).toEqual(["GET /calendars", week, "GET /user"]);
    await world.send("free", "-c", "Family", "--with", "Ben", "--on", "tomorrow");
    expect(world.lines().slice(3)).toEqual([
      "GET /calendars",
      `${events}/members`,
      `${events}/events?from=2026-11-22&to=2026-11-22&timezone=Europe/Berlin&limit=500&${EVENTS}`,
      "GET /user",
    ]);
  });

  test("events list -A requests each calendar after resolving --label and --mine", async () => {
    await world.send("events", "list", "-A", "--label", "2", "--mine");
    const lines = world.lines();
    expect(lines.slice(0, 2)).toEqual(["GET /calendars", "GET /user"]);
    // Calendars are requested in parallel, those of each one in order.
    const ids = new Set(lines.flatMap((line) => /^GET \/calendars\/([\w-]+)/.exec(line)?.[1] ?? []));
    expect(ids.size).toBe(2);
    for (const id of ids) {
      expect(lines.filter((line) => line.includes(id))).toEqual([
        `GET /calendars/${id}/labels`,
        `GET /calendars/${id}/upcoming_events?timezone=Europe/Berlin&days=1&include=creator,label,attendees`,
      ]);
    }
  });

  test("events get sends a request for each id", async () => {
    const { id } = await createEvent();
    const { exitCode } = await world.send("events", "get", id, id, "-c", "Family");
    expect(exitCode).toBe(0);
    const line = `GET /calendars/${world.calendarId}/events/${id}?include=creator,label,attendees`;
    expect(world.lines()).toEqual(["GET /calendars", line, line]);
  });
});

test("a list of several calendars of which one fails prints the others, reports it and exits with 12", async () => {
  await createEvent();
  world.wire.answer(`GET /calendars/${world.calendarId}/upcoming_events`, { status: 503, body: "" });
  await world.run(...words`events create -c Personal --title Here --start 2026-11-21T12:00 --duration 1h`);
  const { exitCode, stdout, stderr } = await world.send("events", "list", "-A", "--fields", "title");
  expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: "Here\n" });
  expect(stderr).toContain(world.calendarId);
});

test("a calendar whose labels cannot be read counts as failed", async () => {
  await createEvent("--label", "2");
  await world.run(
    ...words`events create -c Personal --title Here --start 2026-11-21T12:00 --duration 1h --label 2`,
  );
  world.wire.answer(`GET /calendars/${world.calendarId}/labels`, { status: 403, body: "" });
  const argv = ["events", "list", "-A", "--label", "2", "--fields", "title", "--refresh"];
  const { exitCode, stdout } = await world.send(...argv);
  expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: "Here\n" });
});

test.each([
  ["and nothing else is wrong", 200, 5, ""],
  ["as far as they can be read: the one that cannot may have it", 403, 12, "[]\n"],
  ["as far as they can be asked", 401, 12, "[]\n"],
])("a label that no calendar has, %s", async (_, status, code, printed) => {
  const labels = { status, body: '{"data":[]}' };
  world.wire.answer(`GET /calendars/${world.calendarId}/labels`, labels);
  const argv = ["events", "list", "-c", "Personal", "-c", "Family", "--label", "zebra"];
  const { exitCode, stdout, stderr } = await world.send(...argv, "-o", "json");
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: printed });
  expect(stderr).toMatch(/--label: there is no label \\?"zebra/);
  expect(stderr.includes(world.calendarId)).toBe(code === 12);
});

test("--mine reads the current user before the rate limit can be exceeded", async () => {
  const target = `GET /calendars/${world.calendarId}/upcoming_events`;
  world.wire.answer(target, { status: 429, headers: { "retry-after": "600" }, body: "" });
  const argv = ["events", "list", "-c", "Personal", "-c", "Family", "--mine", "-o", "json"];
  const { exitCode, stdout, stderr } = await world.send(...argv);
  expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: "[]\n" });
  expect(stderr).toContain(`calendar Family (${world.calendarId}) could not be read`);
});

describe("events create", () => {
  function lastBody(): unknown {
    return world.wire.requests.findLast(({ method }) => method === "POST")?.body;
  }

  test("a schedule with every field", async () => {
    const { exitCode, stderr } = await world.send(
      ...["events", "create", "-c", "Family", "--title", "Lunch", "--start", "2026-11-21T12:00"],
      ...["--end", "2026-11-21T13:30", "--start-timezone", "asia/tokyo", "--end-timezone", "Europe/Berlin"],
      ...["--description", "Bring a spoon", "--location", "Noodle bar", "--url", "https://example.com/menu"],
      ...["--label", "modern cyan", "--attendee", "me", "--attendee", "Ben"],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(world.lines()).toEqual([
      "GET /calendars",
      `GET /calendars/${world.calendarId}/labels`,
      `GET /calendars/${world.calendarId}/members`,
      "GET /user",
      `POST /calendars/${world.calendarId}/events`,
    ]);
    expect(world.wire.requests.at(-1)?.headers).toMatchObject({ "content-type": "application/json" });
    expect(lastBody()).toEqual({
      data: {
        attributes: {
          category: "schedule",
          title: "Lunch",
          all_day: false,
          start_at: "2026-11-21T03:00:00.000Z",
          start_timezone: "Asia/Tokyo",
          end_at: "2026-11-21T12:30:00.000Z",
          end_timezone: "Europe/Berlin",
          description: "Bring a spoon",
          location: "Noodle bar",
          url: "https://example.com/menu",
        },
        relationships: {
          label: { data: { id: `${world.calendarId},2`, type: "label" } },
          attendees: {
            data: [
              { id: `${world.calendarId},${world.anaId}`, type: "user" },
              { id: `${world.calendarId},${world.benId}`, type: "user" },
            ],
          },
        },
      },
    });
  });

  test("an all-day event: --end is the last day, end_at the midnight after it", async () => {
    await world.send(
      ...["events", "create", "-c", "Family", "--title", "Fair", "--all-day"],
      ...["--start", "2026-11-21", "--end", "2026-11-22"],
    );
    expect(lastBody()).toEqual({
      data: {
        attributes: {
          category: "schedule",
          title: "Fair",
          all_day: true,
          start_at: "2026-11-21T00:00:00.000Z",
          start_timezone: "UTC",
          end_at: "2026-11-23T00:00:00.000Z",
          end_timezone: "UTC",
        },
        relationships: { label: { data: { id: `${world.calendarId},1`, type: "label" } } },
      },
    });
  });

  test("a keep without times sends none, and stderr tells how to list it", async () => {
    const { exitCode, stderr } = await world.send(
      ...words`events create -c Family --title Milk --category keep`,
    );
    expect(exitCode).toBe(0);
    expect(stderr).toBe("calctl events list --category keep shows keeps without times\n");
    expect(lastBody()).toEqual({
      data: {
        attributes: { category: "keep", title: "Milk" },
        relationships: { label: { data: { id: `${world.calendarId},1`, type: "label" } } },
      },
    });
  });

  test("add sends what it read, and the labels are read only for one", async () => {
    const text = ["Lunch", "tomorrow", "12-13", "at", "Noodle", "bar"];
    expect((await world.send("add", "-c", "Family", ...text, "--yes")).exitCode).toBe(0);
    expect(world.lines()).toEqual(["GET /calendars", `POST /calendars/${world.calendarId}/events`]);
    expect(world.wire.requests.at(-1)?.body).toMatchObject({
      data: {
        attributes: {
          title: "Lunch",
          start_at: "2026-11-22T11:00:00.000Z",
          end_at: "2026-11-22T12:00:00.000Z",
          location: "Noodle bar",
        },
      },
    });
    expect((await world.send("add", "-c", "Family", ...text, "#2", "--yes")).exitCode).toBe(0);
    expect(world.lines().slice(2)).toEqual([
      "GET /calendars",
      `GET /calendars/${world.calendarId}/labels`,
      `POST /calendars/${world.calendarId}/events`,
    ]);
    const sent = world.lines().length;
    expect((await world.send("add", "-c", "Family", "Lunch fri 11", "--yes")).exitCode).toBe(2);
    expect(world.lines()).toHaveLength(sent);
  });

  test("--input accepts the output of `events get -o json`; flags take precedence", async () => {
    const event = await createEvent("--location", "Noodle bar", "--label", "3", "--attendee", "Ben");
    const { stdout } = await world.send("events", "get", event.id, "-c", "Family", "-o", "json");
    const file = join(world.directory, "event.json");
    writeFileSync(file, stdout);
    const { exitCode, stderr } = await world.send(
      ...words`events create -c Family --input ${file} --title Copy`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(lastBody()).toMatchObject({
      data: {
        attributes: {
          title: "Copy",
          location: "Noodle bar",
          start_at: "2026-11-21T11:00:00.000Z",
          start_timezone: "Europe/Berlin",
        },
        relationships: {
          label: { data: { id: `${world.calendarId},3` } },
          attendees: { data: [{ id: `${world.calendarId},${world.benId}` }] },
        },
      },
    });
  });

  test("--input - reads stdin", async () => {
    const env = { CALCTL_BASE_URL: world.wire.baseUrl, CALCTL_TOKEN: world.token };
    const stdin = JSON.stringify({
      title: "Piped",
      start_at: "2026-11-21T10:00:00Z",
      end_at: "2026-11-21T11:00:00Z",
      all_day: false,
    });
    const { exitCode } = await world.runWith({ env, stdin }, ...words`events create -c Family --input -`);
    expect(exitCode).toBe(0);
    expect(lastBody()).toMatchObject({ data: { attributes: { title: "Piped" } } });
  });
});

describe("events update", () => {
  test("reads, merges and replaces: other fields are not changed", async () => {
    const { id } = await createEvent(
      ...words`--location "Noodle bar" --description Spoon --attendee Ben --label 3`,
    );
    const { exitCode, stderr } = await world.send(...words`events update ${id} -c Family --title Dinner`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(world.lines()).toEqual([
      "GET /calendars",
      `GET /calendars/${world.calendarId}/events/${id}?include=creator,label,attendees`,
      `PUT /calendars/${world.calendarId}/events/${id}`,
    ]);
    expect(world.wire.requests.at(-1)?.headers).toMatchObject({ "content-type": "application/json" });
    expect(world.wire.requests.at(-1)?.body).toEqual({
      data: {
        attributes: {
          category: "schedule",
          title: "Dinner",
          all_day: false,
          start_at: "2026-11-21T11:00:00.000Z",
          start_timezone: "Europe/Berlin",
          end_at: "2026-11-21T12:00:00.000Z",
          end_timezone: "Europe/Berlin",
          description: "Spoon",
          location: "Noodle bar",
          url: "",
        },
        relationships: {
          label: { data: { id: `${world.calendarId},3`, type: "label" } },
          attendees: { data: [{ id: `${world.calendarId},${world.benId}`, type: "user" }] },
        },
      },
    });
  });

  test("--add-attendee and --remove-attendee change the existing list", async () => {
    const { id } = await createEvent("--attendee", "Ben");
    await world.send(...words`events update ${id} -c Family --add-attendee me --remove-attendee Ben`);
    expect(world.wire.requests.at(-1)?.body).toMatchObject({
      data: {
        relationships: { attendees: { data: [{ id: `${world.calendarId},${world.anaId}`, type: "user" }] } },
      },
    });
  });

  test("--if-unchanged with another updated_at stops with exit 13 and sends no PUT", async () => {
    const { id, updated_at: updatedAt } = await createEvent();
    const stale = await world.send(
      ...words`events update ${id} -c Family --title X --if-unchanged 2020-01-01T00:00:00Z`,
    );
    expect(stale.exitCode).toBe(13);
    expect(world.lines().filter((line) => line.startsWith("PUT"))).toEqual([]);
    const fresh = await world.send(
      ...words`events update ${id} -c Family --title X --if-unchanged ${updatedAt}`,
    );
    expect(fresh.exitCode).toBe(0);
  });
});

describe("events delete and comment", () => {
  test("delete --yes", async () => {
    const { id } = await createEvent();
    const { exitCode, stdout } = await world.send(...words`events delete ${id} -c Family --yes -o json`);
    expect({ exitCode, stdout: JSON.parse(stdout) }).toEqual({ exitCode: 0, stdout: { deleted: [id] } });
    const target = `/calendars/${world.calendarId}/events/${id}`;
    // For calctl undo, the event is read before.
    const read = `GET ${target}?include=creator,label,attendees`;
    expect(world.lines()).toEqual(["GET /calendars", read, `DELETE ${target}`]);
    expect(world.wire.requests.at(-1)).toMatchObject({ body: null });
    expect(world.wire.requests.at(-1)?.headers).not.toHaveProperty("content-type");
  });

  test("comment sends the text unchanged", async () => {
    const { id } = await createEvent();
    const { exitCode } = await world.send("comment", id, "@ana can you bring bread?", "-c", "Family");
    expect(exitCode).toBe(0);
    expect(world.lines()).toEqual([
      "GET /calendars",
      `POST /calendars/${world.calendarId}/events/${id}/activities`,
    ]);
    expect(world.wire.requests.at(-1)).toMatchObject({
      headers: { "content-type": "application/json" },
      body: { data: { attributes: { content: "@ana can you bring bread?" } } },
    });
  });

  test("comment removes a final newline of stdin", async () => {
    const { id } = await createEvent();
    const env = { CALCTL_BASE_URL: world.wire.baseUrl, CALCTL_TOKEN: world.token };
    await world.runWith({ env, stdin: "two\nlines\n\n" }, "comment", id, "-c", "Family");
    expect(world.wire.requests.at(-1)?.body).toEqual({ data: { attributes: { content: "two\nlines\n" } } });
  });
});

describe("text that starts like a flag", () => {
  const GLOBAL_BEGINNINGS = words`"-quiet hour-" --quiet -v -o -c=x -p --no-input -h --debug -- -`;

  test.each(GLOBAL_BEGINNINGS)("a title, description, location and URL %j arrive unchanged", async (text) => {
    // The embedded service takes no such URL, but another one may.
    const attributes = { category: "schedule", title: text, start_at: "2026-11-21T12:00:00.000Z" };
    const body = JSON.stringify({ data: { id: "1", type: "event", attributes } });
    world.wire.answer(`POST /calendars/${world.calendarId}/events`, { status: 201, body });
    const { exitCode, stderr } = await world.send(
      ...["events", "create", "-c", "Family", "--start", "2026-11-21T12:00", "--duration", "1h"],
      ...["--title", text, "--description", text, "--location", text, "--url", text],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(world.wire.requests.at(-1)?.body).toMatchObject({
      data: { attributes: { title: text, description: text, location: text, url: text } },
    });
  });

  test.each(GLOBAL_BEGINNINGS.filter((text) => text !== "--"))(
    "a comment %j after -- arrives unchanged",
    async (text) => {
      const { id } = await createEvent();
      const { exitCode } = await world.send("comment", "-c", "Family", id, "--", text);
      expect(exitCode).toBe(0);
      expect(world.wire.requests.at(-1)?.body).toEqual({ data: { attributes: { content: text } } });
    },
  );

  test.each([["-c=-Ab"], ["--calendar=-Ab"], ["-c", "-Ab"], ["-c-Ab"]])(
    "a calendar id by %j",
    async (...flags) => {
      world.wire.answer("GET /calendars", { status: 403, body: "{}" });
      world.wire.answer("GET /calendars/-Ab/labels", { status: 200, body: '{"data":[]}' });
      for (const argv of [
        [...flags, "labels"],
        ["labels", ...flags],
      ]) {
        world.wire.requests.splice(0);
        expect((await world.send(...argv)).exitCode).toBe(0);
        expect(world.lines()).toEqual(["GET /calendars", "GET /calendars/-Ab/labels"]);
      }
    },
  );

  test("an event id after --", async () => {
    world.wire.answer("GET /calendars", { status: 403, body: "{}" });
    await world.send("events", "get", "-c", "cal", "--", "-Ab");
    expect(world.lines()).toContain("GET /calendars/cal/events/-Ab?include=creator,label,attendees");
  });
});

describe("global flags in any position", () => {
  test.each([
    [["-c", "Family", "-o", "json", "events", "list"]],
    [["events", "-c", "Family", "-o", "json", "list"]],
    [["events", "list", "-c", "Family", "-o", "json"]],
    [["-c", "Family", "events", "list", "-o=json"]],
  ])("%j", async (argv) => {
    const { exitCode, stdout } = await world.send(...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "[]\n" });
  });

  test("calendars given in several positions are all used", async () => {
    const { exitCode } = await world.send("-c", "Family", "events", "list", "-c", "Personal");
    expect(exitCode).toBe(0);
    expect(world.lines().filter((line) => line.includes("upcoming_events"))).toHaveLength(2);
  });
});

test("targets test posts once, and asks the calendar service nothing", async () => {
  const file = join(world.directory, "url-file");
  writeFileSync(file, `${world.wire.baseUrl}/hook`);
  const add = ["targets", "add", "team", "--as", "json", "--insecure-storage", "--url-file", file];
  expect((await world.send(...add)).exitCode).toBe(0);
  // The service has no such path.
  expect((await world.send("targets", "test", "team")).exitCode).toBe(11);
  expect(world.lines()).toEqual(["POST /hook"]);
});
