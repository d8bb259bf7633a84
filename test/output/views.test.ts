import { describe, expect, test } from "vitest";
import {
  backupView,
  copiedTableView,
  resyncView,
  serviceClientView,
  serviceTokenView,
  serviceUserView,
} from "../../service/views/service.js";
import { loadCommandTree } from "../../src/cli/command-tree.js";
import { programSchema } from "../../src/cli/help/schema.js";
import { createConfigView, profileView, statusView } from "../../src/commands/account/view.js";
import { createConflictView, freeView } from "../../src/commands/agenda/free.js";
import { activityView, commentView } from "../../src/commands/comments/comment.js";
import { feedView } from "../../src/commands/feeds/feeds.js";
import { importView } from "../../src/commands/import/view.js";
import { sentView } from "../../src/commands/messages/sent.js";
import { targetView } from "../../src/commands/messages/targets.js";
import { undoableView } from "../../src/commands/undo/undo.js";
import { calendarView, labelView, userView } from "../../src/events/views/calendar.js";
import { createChangeListView, watchedChangeView } from "../../src/events/views/change.js";
import { deletedView, eventView, severalCalendarsView } from "../../src/events/views/event.js";
import type { View } from "../../src/output/view.js";
import { checkView } from "../../src/output/views/check.js";
import { createValueView, requestView } from "../../src/output/views/plain.js";
import {
  ACTIVITY,
  ALL_DAY_EVENT,
  BARE_KEEP,
  CALENDAR,
  DEFAULT_LABEL,
  EVENT,
  HOSTILE,
  HOSTILE_CALENDAR,
  HOSTILE_EVENT,
  HOSTILE_LABEL,
  HOSTILE_MEMBER,
  MEMBER,
  NAMELESS,
  STATUS,
  UNKNOWN_LABEL,
  WORK_LABEL,
} from "./fixtures.js";
import { type RenderedOptions, rendered, visible } from "./rendered.js";

const PIPE: readonly (readonly [title: string, options: RenderedOptions])[] = [
  ["table", { format: "table" }],
  ["tsv", { format: "tsv" }],
  ["csv", { format: "csv" }],
  ["json", { format: "json" }],
  ["ndjson", { format: "ndjson" }],
  ["markdown", { format: "markdown" }],
  ["text", { format: "text" }],
];

/** A terminal and a pipe may get different text. */
const EVERY_FORMAT: typeof PIPE = [
  ...PIPE,
  ...PIPE.map(([title, options]) => [`${title}, terminal`, { ...options, columns: 80 }] as const),
];

const WIDTHS: typeof PIPE = [
  ["80 columns, in color", { format: "table", columns: 80, color: true }],
  ["40 columns", { format: "table", columns: 40 }],
  ["pipe", { format: "table" }],
];

/** What identifies a view: its columns, its cells and its JSON keys. */
const SHAPES: typeof PIPE = PIPE.map(([title, options]) =>
  title === "table" ? [title, { ...options, columns: 80 }] : [title, options],
);

const ICALENDAR: typeof PIPE = [
  ["ics", { format: "ics" }],
  ["ics, terminal", { format: "ics", columns: 80 }],
];

interface Sample {
  /** Name of the view's JSON object. */
  readonly shape: string;
  draw(surfaces: typeof PIPE): Promise<string>;
}

function sample<T>(name: string, view: View<T>, value: NoInfer<T> | readonly NoInfer<T>[]): Sample {
  return {
    shape: view.shape,
    async draw(surfaces) {
      const sections = surfaces.map(
        async ([title, options]) => `== ${name}: ${title}\n${visible(await rendered(view, value, options))}`,
      );
      return (await Promise.all(sections)).join("");
    },
  };
}

async function expectGolden(name: string, samples: readonly Sample[], surfaces: typeof PIPE): Promise<void> {
  const texts = await Promise.all(samples.map(({ draw }) => draw(surfaces)));
  await expect(texts.join("")).toMatchFileSnapshot(`golden/${name}.txt`);
}

const CLIENT = {
  id: "1",
  name: HOSTILE,
  client_id: "c-1",
  redirect_uris: ["http://127.0.0.1/a", "http://[::1]/b"],
};
const TOKEN = { id: "t-1", user_id: "u-1", read_only: true, created_at: "2026-11-01T00:00:00.000Z" };

const UNKNOWN_STATUS = {
  profile: null,
  base_url: null,
  token_source: null,
  signed_in: null,
  user: null,
  rate_limit: null,
  clock_skew_seconds: null,
};
const PROFILES = [
  { name: "local", base_url: null, in_use: false },
  { name: "仕事", base_url: "https://calendars.example/api", in_use: true },
];
const CONFIG = { base_url: "https://calendars.example", timezone: null, token_command: '["pass","show"]' };

const FEED = {
  id: "f-1",
  name: HOSTILE,
  calendars: [
    { id: "c-1", name: "Family" },
    { id: "c-2", name: null },
  ],
  busy_only: true,
  created_at: "2026-11-01T00:00:00.000Z",
  last_used_at: "2026-11-20T00:00:00.000Z",
};
const UNKNOWN_FEED = {
  ...FEED,
  name: null,
  calendars: [],
  busy_only: null,
  created_at: null,
  last_used_at: null,
};

const REQUEST = { method: "POST", path: "/calendars/c/events", query: { a: "1" }, body: { data: null } };

const EVENTS = sample("events", eventView, [EVENT, ALL_DAY_EVENT, HOSTILE_EVENT, BARE_KEEP]);
const HOSTILE_DETAIL = sample("hostile event", eventView, HOSTILE_EVENT);
const LABELS = sample("labels", labelView, [DEFAULT_LABEL, WORK_LABEL, HOSTILE_LABEL, UNKNOWN_LABEL]);

const VIEWS = [
  EVENTS,
  sample("event", eventView, EVENT),
  sample("changes", createChangeListView({ calendars: [], shorten: (id) => id }), [
    { ...EVENT, change: "added", event: EVENT, before: null },
    { ...ALL_DAY_EVENT, change: "changed", event: ALL_DAY_EVENT, before: EVENT },
    { ...HOSTILE_EVENT, change: "removed", event: HOSTILE_EVENT, before: HOSTILE_EVENT },
  ]),
  sample("watched change", watchedChangeView, [
    { id: "1", change: "removed", event: EVENT, before: HOSTILE_EVENT },
  ]),
  sample("calendars", calendarView, [CALENDAR, HOSTILE_CALENDAR]),
  sample("calendar", calendarView, CALENDAR),
  LABELS,
  sample("members", userView, [MEMBER, NAMELESS, HOSTILE_MEMBER]),
  sample("whoami", userView, MEMBER),
  sample("comment", activityView, ACTIVITY),
  sample("comments", commentView, [{ ...ACTIVITY, creator: MEMBER }]),
  sample("profiles", profileView, PROFILES),
  sample("targets", targetView, [
    { name: "team", as: "slack" },
    { name: "家族", as: "telegram" },
  ]),
  sample("sent", sentView, [
    {
      id: "5f0c2a91d3b7",
      command: "post",
      target: "team",
      what: "Today, Sat 21 Nov: 2 events",
      at: "2026-11-21T06:00:00.000Z",
      outcome: "sent",
    },
    {
      id: "0b7e4d6f8a12",
      command: "remind",
      target: null,
      what: null,
      at: "2026-11-21T06:05:00.000Z",
      outcome: "unknown",
    },
  ]),
  sample("undoable", undoableView, [
    {
      number: 1,
      at: "2026-11-21T06:00:00.000Z",
      command: "events delete",
      events: ["5f0c2a91d3b7", "0b7e4d6f8a12"],
      titles: ["Lunch", "Film night"],
    },
  ]),
  sample("free times", freeView, [
    {
      start_at: "2026-11-21T15:00:00.000Z",
      end_at: "2026-11-21T16:30:00.000Z",
      start_local: "2026-11-21T16:00:00+01:00",
      end_local: "2026-11-21T17:30:00+01:00",
    },
    {
      start_at: "2026-11-21T17:00:00.000Z",
      end_at: "2026-11-22T23:00:00.000Z",
      start_local: "2026-11-21T18:00:00+01:00",
      end_local: "2026-11-23T00:00:00+01:00",
    },
  ]),
  sample("conflicts", createConflictView(), [{ first: EVENT, second: HOSTILE_EVENT }]),
  sample("feeds", feedView, [FEED, UNKNOWN_FEED]),
  sample("new feed", feedView, { ...FEED, address: "https://calendar.example/feeds/s3cret" }),
  sample("config", createConfigView("work", Object.keys(CONFIG)), CONFIG),
  sample("bare value", createValueView("token"), { token: "s3cret" }),
  sample("status", statusView, STATUS),
  sample("status, nothing known", statusView, UNKNOWN_STATUS),
  sample("checks", checkView, [
    { check: "token", ok: true, detail: "from CALCTL_TOKEN_FILE", hint: null },
    { check: "state folder", ok: false, detail: "/nowhere cannot be written to", hint: "choose another" },
    { check: "crontab", ok: true, detail: "0 7 * * * calctl post --to team --once", hint: null },
  ]),
  sample("deletion", deletedView, { deleted: [EVENT.id, ALL_DAY_EVENT.id] }),
  sample("service users", serviceUserView, [{ id: "u-1", name: "Wall display", login: "display" }]),
  sample("service clients", serviceClientView, [CLIENT]),
  sample("new service client", serviceClientView, { ...CLIENT, client_secret: "0123456789".repeat(4) }),
  sample("service tokens", serviceTokenView, [TOKEN]),
  sample("new service token", serviceTokenView, { ...TOKEN, token: "s3cret" }),
  sample("backup", backupView, {
    file: "/var/backups/calendar-2026-11-22.db",
    bytes: 1_048_576,
    users: 3,
    calendars: 2,
    events: 1_234,
  }),
  sample("resync", resyncView, { calendars: 2 }),
  sample("copied tables", copiedTableView, [
    { table: "users", rows: 3, sha256: "0123456789abcdef".repeat(4) },
    { table: "events", rows: 1_234, sha256: "fedcba9876543210".repeat(4) },
  ]),
  sample("import", importView, {
    source: "club.ics",
    created: 12,
    updated: 1,
    unchanged: 140,
    deleted: 0,
    conflicts: 2,
    rejected: [{ line: 31, reason: "a title has at most 50 characters, and this one 51", title: HOSTILE }],
  }),
  sample("path", createValueView("path"), { path: "/home/ana/.config/calctl/config.json" }),
  sample("request", requestView, REQUEST),
];

test("the shape of every view", async () => {
  await expectGolden("views", VIEWS, SHAPES);
});

const CALENDAR_SAMPLE = sample("event and hostile event", eventView, [EVENT, HOSTILE_EVENT]);

test("golden files have what every command prints in every format", async () => {
  const formatsOf = ({ shape }: Sample, surfaces: typeof PIPE) =>
    surfaces.map(([, { format = "" }]) => `${shape} as ${format}`);
  const drawn = new Set([
    ...VIEWS.flatMap((view) => formatsOf(view, SHAPES)),
    ...formatsOf(CALENDAR_SAMPLE, ICALENDAR),
    // Those of documents are what test/commands/programs/schema.test.ts compares.
    "listening as json",
    "listening as ndjson",
  ]);
  const printed = programSchema(await loadCommandTree()).commands.flatMap(({ name, output }) =>
    (output?.shape == null ? [] : output.formats).map((format) => ({
      name,
      drawn: `${output?.shape} as ${format}`,
    })),
  );
  expect(printed.length).toBeGreaterThan(100);
  expect(printed.filter((each) => !drawn.has(each.drawn))).toEqual([]);
});

test("every format, with hostile text, in a pipe and on a terminal", async () => {
  await expectGolden("formats", [HOSTILE_DETAIL, LABELS], EVERY_FORMAT);
});

test("events as iCalendar, in a pipe and on a terminal", async () => {
  await expectGolden("ics", [CALENDAR_SAMPLE], ICALENDAR);
});

test("tables of every width", async () => {
  await expectGolden("widths", [EVENTS, HOSTILE_DETAIL, LABELS], WIDTHS);
});

describe("an empty list", () => {
  test.each([
    ["table", ""],
    ["tsv", ""],
    ["json", "[]\n"],
    ["ndjson", ""],
    ["markdown", ""],
    ["text", ""],
  ])("as %s", async (format, expected) => {
    expect(await rendered(eventView, [], { format })).toBe(expected);
    expect(await rendered(eventView, [], { format, columns: 80 })).toBe(expected);
  });
});

describe("events of several calendars", () => {
  const events = [EVENT, { ...BARE_KEEP, calendar_id: "other" }];

  test("say so even if they are all in one", async () => {
    expect(await rendered(severalCalendarsView, [EVENT], { columns: 130 })).toContain("  Family    0123");
  });

  test("show their calendar on a wide terminal", async () => {
    expect(await rendered(eventView, events, { columns: 130 })).toBe(
      [
        "When                    Title                                        Label    Calendar  ID",
        "Sat 21 Nov 15:00–16:00  Parents' evening at the school by the river  default  Family    0123456789abcdef0123456789abcdef",
        "                        Someday                                               other     3123456789abcdef0123456789abcdef",
        "",
      ].join("\n"),
    );
  });

  test("become detail views on a narrow one", async () => {
    expect(await rendered(eventView, events, { columns: 60 })).toBe(
      [
        "When      Sat 21 Nov 15:00–16:00",
        "Title     Parents' evening at the school by the river",
        "Label     default",
        "Calendar  Family",
        "ID        0123456789abcdef0123456789abcdef",
        "",
        "Title     Someday",
        "Calendar  other",
        "ID        3123456789abcdef0123456789abcdef",
        "",
      ].join("\n"),
    );
  });
});
