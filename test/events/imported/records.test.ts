import { expect, test } from "vitest";
import { columnsOf, recordOfRow } from "../../../src/events/imported/records.js";

const ROW = {
  source: "s",
  identity: "choir 1",
  eventId: "1_20261207T180000Z",
  sequence: null,
  pending: null,
};

test("a record keeps the keys of the database, whatever they are called in code", () => {
  const stored = { hash: "a", left: "b", slot: 1_796_666_400_000, deleted: "here" };
  const record = recordOfRow({ ...ROW, record: JSON.stringify(stored) });
  expect(record).toMatchObject({ id: ROW.eventId, hash: "a", originalStart: stored.slot });
  const columns = columnsOf(record);
  expect([columns.eventId, JSON.parse(columns.record ?? "")]).toEqual([ROW.eventId, stored]);
});

test("a record without an original start has no such key", () => {
  expect(recordOfRow({ ...ROW, record: `{"hash":"a","left":"b"}` })).not.toHaveProperty("originalStart");
});
