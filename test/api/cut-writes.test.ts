import { describe, test } from "vitest";
import {
  CALENDAR,
  COMMENT,
  type Command,
  describeRepeated,
  EVENT_PATH,
  everyByteOf,
  expectFailures,
  expectWhole,
  NO_REPEAT,
  record,
  titled,
} from "./cutting.js";

/**
 * Every answer to a write from the real service, cut after each of its bytes. PUT and DELETE are repeated until they
 * are answered, in runs that up to a hundred cuts share. POST is sent once whatever `--retries` is by default, so
 * each byte takes a run: it ends in one sentence that says it may have been done.
 */

const CREATE: Command = {
  argv: [
    ...["events", "create", ...CALENDAR],
    ...["--title", "T", "--start", "2026-11-21T12:00", "--duration", "1h"],
  ],
  target: "POST /calendars/CALENDAR/events",
  exitCode: 9,
};
const UPDATE: Command = {
  argv: ["events", "update", "EVENT", ...CALENDAR, "--title", "X"],
  target: `PUT ${EVENT_PATH}`,
};
const DELETE: Command = {
  argv: ["events", "delete", "EVENT", ...CALENDAR, "--yes"],
  target: `DELETE ${EVENT_PATH}`,
};

describeRepeated([UPDATE, DELETE]);

test("cut after each byte of the answer to a DELETE: fails", { timeout: 60_000 }, async () => {
  const recording = await record(DELETE);
  await expectFailures(recording, everyByteOf(recording.answer), NO_REPEAT);
});

describe.each([CREATE, COMMENT].map(titled))("%s, in the answer to %s", (_argv, _target, command) => {
  test("cut after each byte: sent once, and fails", { timeout: 60_000 }, async () => {
    const recording = await record(command);
    await expectFailures(recording, everyByteOf(recording.answer));
    await expectWhole(recording);
  });
});

describe.each(["chunked", "close"] as const)("a body framed by %s, cut after each byte of it", (framing) => {
  test("comment: sent once, and fails", { timeout: 60_000 }, async () => {
    const recording = await record(COMMENT);
    await expectFailures(recording, everyByteOf(recording.answer, framing), { framing });
    await expectWhole(recording, framing);
  });
});
