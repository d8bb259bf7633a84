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
} from "../api/cutting.js";

/**
 * Every response of the real service to a write, cut after each byte. PUT and DELETE are repeated until the response is
 * complete; one run has up to a hundred cuts. POST without a key is sent once, so each byte takes a run, which ends in one
 * sentence that says that the write may have succeeded.
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

test("the response to a DELETE cut after each byte: fails with one sentence", async () => {
  const recording = await record(DELETE);
  await expectFailures(recording, everyByteOf(recording.answer), NO_REPEAT);
});

describe.each([CREATE, COMMENT].map(titled))("%s, in the response to %s", (_argv, _target, command) => {
  test("cut after each byte: sent once, and fails with one sentence", async () => {
    const recording = await record(command);
    await expectFailures(recording, everyByteOf(recording.answer));
    await expectWhole(recording);
  });
});

describe.each(["chunked", "close"] as const)("a body framed by %s, cut after each byte of it", (framing) => {
  test("comment: sent once, and fails with one sentence", async () => {
    const recording = await record(COMMENT);
    await expectFailures(recording, everyByteOf(recording.answer, framing), { framing });
    await expectWhole(recording, framing);
  });
});
