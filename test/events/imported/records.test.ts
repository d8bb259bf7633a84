import { expect, test } from "vitest";
import { columnsOf, recordOfRow } from "../../../src/events/imported/records.js";

const ROW = {
  source: "s",
  identity: "choir 1",
  eventId: "1_20261207T180000Z",
  sequence: null,
  pending: null,
};

test.each([
  ["begun", "pending"],
  ["here", "by_import"],
  ["elsewhere", "by_user"],
])("a record keeps the words of the database, such as %s, whatever they are in code", (word, deleted) => {
  const stored = { hash: "a", left: "b", slot: 1_796_666_400_000, deleted: word };
  const record = recordOfRow({ ...ROW, record: JSON.stringify(stored) });
  const { hash, left: lastWrittenHash, slot: originalStart } = stored;
  expect(record).toEqual({ id: ROW.eventId, hash, lastWrittenHash, originalStart, deleted });
  const columns = columnsOf(record);
  expect([columns.eventId, JSON.parse(columns.record ?? "")]).toEqual([ROW.eventId, stored]);
});

test("a record without an original start has no such key", () => {
  expect(recordOfRow({ ...ROW, record: `{"hash":"a","left":"b"}` })).not.toHaveProperty("originalStart");
});
