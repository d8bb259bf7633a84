import { expect, test } from "vitest";
import type { WriteClient } from "../../src/api/client.js";
import { write } from "../../src/events/write.js";
import type { Outcome } from "../../src/state/writes.js";
import { eventOf } from "./fixtures.js";

const UNUSED = () => expect.unreachable();

test("a bug that shows when the series is read after a delete is not hidden, and the delete is recorded", async () => {
  const series = eventOf({ id: "s", series_id: "s", recurrences: ["RRULE:FREQ=DAILY;COUNT=3"] });
  const reads = [() => series, () => expect.unreachable("a bug")];
  const client: WriteClient = {
    getEvent: async () => (reads.shift() ?? UNUSED)(),
    deleteEvent: async () => undefined,
    createEvent: UNUSED,
    updateEvent: UNUSED,
    createActivity: UNUSED,
    sendRaw: UNUSED,
  };
  const outcomes: Outcome[] = [];
  const begin = async () => async (outcome: Outcome) => void outcomes.push(outcome);
  const run = { writing: async () => ({ client, writes: { begin } }) };
  const event = { ...series, id: "s_20261123T090000Z" };
  const target = { calendarId: series.calendar_id, eventId: event.id, event };
  await expect(write(run, { kind: "delete", ...target, scope: "this" })).rejects.toThrow("a bug");
  expect(outcomes).toEqual([{ state: "done" }]);
});
