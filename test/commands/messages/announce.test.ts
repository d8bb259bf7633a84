import { expect, test } from "vitest";
import { announceAll, type ReminderSink, showAll } from "../../../src/commands/messages/remind.js";
import { createStatePath, openTestState } from "../../state/support.js";
import { event, NOW } from "./fixtures.js";

/** Reminders of events of which one cannot be drawn. It is Saturday, 08:00 in Berlin. */

const START = Date.parse("2026-11-21T07:10:00.000Z");

const EVENTS = ["Dentist", "Odd", "Lunch"].map((title) =>
  event(title, "2026-11-21T08:10", "2026-11-21T09:00"),
);

async function createRun() {
  const { state, seen, sent } = await openTestState(createStatePath(), { now: () => NOW });
  const warnings: string[] = [];
  const announced: string[] = [];
  const shown: string[] = [];
  const context = {
    config: { settings: () => ({ profile: "local", service: { kind: "local" as const } }) },
    state: { open: async () => state, sent: async () => sent, seen: async () => seen },
    output: {
      note: () => undefined,
      warn: (text: string) => void warnings.push(text),
      document: async <T>(_: unknown, value: T) => void shown.push((value as { readonly body: string }).body),
    },
    flags: { calendars: [], verbose: false },
    terminal: { isTerminal: false },
    now: () => NOW,
  };
  const sink: ReminderSink = {
    id: "post webhook:team",
    groupsByStart: true,
    async compose(events) {
      const titles = events.map(({ title }) => title).join(", ");
      if (titles.includes("Odd")) throw new TypeError("cannot be drawn");
      return {
        ...{ command: "remind", target: "target team", what: titles },
        payload: { contentType: "text/plain", body: titles },
        async send() {
          announced.push(titles);
        },
      };
    },
  };
  const remindersOf = (starts: (index: number) => number) =>
    EVENTS.map((each, index) => ({ event: each, start: starts(index) }));
  const show = (starts: (index: number) => number) =>
    showAll(context, { reminders: remindersOf(starts), sink, showCalendar: false });
  const announce = (starts: (index: number) => number) =>
    announceAll(context, {
      reminders: remindersOf(starts),
      late: [],
      sink,
      window: { now: NOW, before: 15 * 60_000, grace: 0, allDayAt: null, zone: "Europe/Berlin" },
      showCalendar: false,
      options: { program: [] },
    });
  return { announce, announced, show, shown, warnings };
}

test.each<[string, (index: number) => number]>([
  ["at other times", (index) => START + index * 60_000],
  ["at the same time", () => START],
])("--dry-run reports it as well, and shows those %s", async (_, starts) => {
  const { show, shown, warnings } = await createRun();
  await expect(show(starts)).rejects.toMatchObject({
    code: "partial",
    message: expect.stringContaining("2 of 3 events shown, not: Odd (Sat 21 Nov 08:10"),
  });
  expect(warnings).toEqual([
    expect.stringMatching(/^event Odd \(.*\) could not be shown: unexpected error: cannot be drawn$/),
  ]);
  expect(shown).toEqual(["Dentist", "Lunch"]);
});

test.each<[string, (index: number) => number]>([
  ["at other times", (index) => START + index * 60_000],
  ["at the same time", () => START],
])("an event that cannot be drawn is reported by title, and those %s are announced", async (_, starts) => {
  const { announce, announced, warnings } = await createRun();
  await expect(announce(starts)).rejects.toMatchObject({
    code: "partial",
    message: expect.stringContaining("2 of 3 events announced, not: Odd (Sat 21 Nov 08:10"),
  });
  const warning = expect.stringMatching(
    /^event Odd \(.*\) could not be announced: unexpected error: cannot be drawn$/,
  );
  expect(warnings).toEqual([warning]);
  expect(announced).toEqual(["Dentist", "Lunch"]);
  await expect(announce(starts)).rejects.toMatchObject({
    code: "failed",
    message: "unexpected error: cannot be drawn",
  });
  expect(announced).toEqual(["Dentist", "Lunch"]);
});
