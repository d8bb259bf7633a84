import { describe, expect, test } from "vitest";
import type { View } from "../../src/output/view.js";
import { calendarView, labelView, userView } from "../../src/output/views/calendar.js";
import { activityView, eventView } from "../../src/output/views/event.js";
import { createBareView, deletedView } from "../../src/output/views/plain.js";
import { createConfigView, profileView, statusView } from "../../src/output/views/profile.js";
import { serviceClientView, serviceTokenView, serviceUserView } from "../../src/output/views/service.js";
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
  UNKNOWN_LABEL,
  WORK_LABEL,
} from "./fixtures.js";
import { type RenderedOptions, rendered, visible } from "./rendered.js";

/** Every format, on terminals of 80 and 40 columns and in a pipe. */
const SURFACES: readonly (readonly [title: string, options: RenderedOptions])[] = [
  ["table, 80 columns", { format: "table", columns: 80 }],
  ["table, 80 columns, in colour", { format: "table", columns: 80, color: true }],
  ["table, 40 columns", { format: "table", columns: 40 }],
  ["table, pipe", { format: "table" }],
  ["tsv, 80 columns", { format: "tsv", columns: 80 }],
  ["tsv, pipe", { format: "tsv" }],
  ["json, 80 columns", { format: "json", columns: 80 }],
  ["json, pipe", { format: "json" }],
  ["ndjson, 80 columns", { format: "ndjson", columns: 80 }],
  ["ndjson, pipe", { format: "ndjson" }],
];

async function gallery<T>(view: View<T>, value: NoInfer<T> | readonly NoInfer<T>[]): Promise<string> {
  const sections = SURFACES.map(
    async ([title, options]) => `== ${title}\n${visible(await rendered(view, value, options))}`,
  );
  return (await Promise.all(sections)).join("");
}

async function expectGolden(name: string, text: string): Promise<void> {
  await expect(text).toMatchFileSnapshot(`golden/${name}.txt`);
}

const CLIENT = {
  id: "1",
  name: HOSTILE,
  client_id: "c-1",
  redirect_uris: ["http://127.0.0.1/a", "http://[::1]/b"],
};
const TOKEN = { id: "t-1", user_id: "u-1", read_only: true, created_at: "2026-11-01T00:00:00.000Z" };

describe("what each view prints, in every format", () => {
  test("events", async () => {
    await expectGolden("events", await gallery(eventView, [EVENT, ALL_DAY_EVENT, HOSTILE_EVENT, BARE_KEEP]));
  });

  test("one event", async () => {
    await expectGolden("event", await gallery(eventView, EVENT));
  });

  test("one event with hostile text", async () => {
    await expectGolden("event-hostile", await gallery(eventView, HOSTILE_EVENT));
  });

  test("calendars", async () => {
    await expectGolden("calendars", await gallery(calendarView, [CALENDAR, HOSTILE_CALENDAR]));
  });

  test("one calendar", async () => {
    await expectGolden("calendar", await gallery(calendarView, CALENDAR));
  });

  test("labels", async () => {
    const labels = [DEFAULT_LABEL, WORK_LABEL, HOSTILE_LABEL, UNKNOWN_LABEL];
    await expectGolden("labels", await gallery(labelView, labels));
  });

  test("members", async () => {
    await expectGolden("members", await gallery(userView, [MEMBER, NAMELESS, HOSTILE_MEMBER]));
  });

  test("whoami", async () => {
    await expectGolden("whoami", await gallery(userView, MEMBER));
  });

  test("a comment", async () => {
    await expectGolden("comment", await gallery(activityView, ACTIVITY));
  });

  test("profiles", async () => {
    const profiles = [
      { name: "local", base_url: null, in_use: false },
      { name: "仕事", base_url: "https://calendars.example/api", in_use: true },
    ];
    await expectGolden("profiles", await gallery(profileView, profiles));
  });

  test("config", async () => {
    const view = createConfigView(["base_url", "timezone", "token_command"]);
    const config = {
      base_url: "https://calendars.example",
      timezone: null,
      token_command: '["pass","show"]',
    };
    await expectGolden("config", await gallery(view, config));
  });

  test("a bare value", async () => {
    await expectGolden("bare", await gallery(createBareView("token"), { token: "s3cret" }));
  });

  test("status, signed in", async () => {
    const status = {
      profile: "work",
      base_url: "https://calendars.example",
      token_source: "CALCTL_TOKEN",
      signed_in: true,
      user: MEMBER,
      rate_limit: { limit: 600, remaining: 598, reset_at: "2026-11-21T06:00:00.000Z" },
      clock_skew_seconds: -2,
    };
    await expectGolden("status", await gallery(statusView, status));
  });

  test("status, nobody asked", async () => {
    const status = {
      profile: null,
      base_url: null,
      token_source: null,
      signed_in: null,
      user: null,
      rate_limit: null,
      clock_skew_seconds: null,
    };
    await expectGolden("status-unknown", await gallery(statusView, status));
  });

  test("deletions", async () => {
    await expectGolden("deleted", await gallery(deletedView, { deleted: [EVENT.id, ALL_DAY_EVENT.id] }));
  });

  test("users of the service", async () => {
    await expectGolden(
      "service-users",
      await gallery(serviceUserView, [{ id: "u-1", name: "Wall display", login: "display" }]),
    );
  });

  test("clients of the service", async () => {
    await expectGolden("service-clients", await gallery(serviceClientView, [CLIENT]));
  });

  test("a client just made, with its secret", async () => {
    const made = { ...CLIENT, client_secret: "0123456789abcdef0123456789abcdef0123456789a" };
    await expectGolden("service-client", await gallery(serviceClientView, made));
  });

  test("tokens of the service", async () => {
    await expectGolden("service-tokens", await gallery(serviceTokenView, [TOKEN]));
  });

  test("a token just made, with its secret", async () => {
    await expectGolden("service-token", await gallery(serviceTokenView, { ...TOKEN, token: "s3cret" }));
  });
});

describe("an empty list", () => {
  test.each([
    ["table", ""],
    ["tsv", ""],
    ["json", "[]\n"],
    ["ndjson", ""],
  ])("as %s", async (format, expected) => {
    expect(await rendered(eventView, [], { format })).toBe(expected);
    expect(await rendered(eventView, [], { format, columns: 80 })).toBe(expected);
  });
});

describe("events of several calendars", () => {
  const events = [EVENT, { ...BARE_KEEP, calendar_id: "other" }];

  test("say on a wide terminal which calendar they are in", async () => {
    expect(await rendered(eventView, events, { columns: 130 })).toBe(
      [
        "When                    Title                                        Label  Calendar      ID",
        "Sat 21 Nov 15:00–16:00  Parents' evening at the school by the river  1      AbC-dEf_GhIj  0123456789abcdef0123456789abcdef",
        "                        Someday                                             other         3123456789abcdef0123456789abcdef",
        "",
      ].join("\n"),
    );
  });

  test("become a listing where that does not fit", async () => {
    expect(await rendered(eventView, events, { columns: 60 })).toBe(
      [
        "When      Sat 21 Nov 15:00–16:00",
        "Title     Parents' evening at the school by the river",
        "Label     1",
        "Calendar  AbC-dEf_GhIj",
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
