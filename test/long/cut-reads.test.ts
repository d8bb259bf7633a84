import { describe, test } from "vitest";
import {
  CALENDAR,
  type Command,
  describeRepeated,
  EVENT_PATH,
  everyByteOf,
  expectFailures,
  expectRepeats,
  expectWhole,
  NO_REPEAT,
  record,
  WHOAMI,
} from "../api/cutting.js";

/**
 * Every response of the real service to a read, cut after each byte: the command accepts no part of it, repeats the
 * request, and prints the same as without cuts. One run has up to a hundred cuts. Failing without a complete response,
 * with one sentence and the right exit code, is tested for each byte of one command, and for one place of each kind in
 * the others. See docs/decisions/2026-11-21-what-the-fault-tests-leave-out.md.
 */

const READS: readonly Command[] = [
  WHOAMI,
  { argv: ["status"], target: "GET /user", stdout: /^signed_in\t$/m },
  { argv: ["calendars"], target: "GET /calendars" },
  { argv: ["calendars", ...CALENDAR], target: "GET /calendars/CALENDAR" },
  {
    argv: ["calendars", ...CALENDAR, "-c", "Second", "--fields", "name"],
    target: "GET /calendars/CALENDAR",
    exitCode: 12,
    stdout: /^Second\n$/,
  },
  { argv: ["labels", ...CALENDAR], target: "GET /calendars/CALENDAR/labels" },
  { argv: ["members", ...CALENDAR], target: "GET /calendars/CALENDAR/members" },
  { argv: ["events", "list", ...CALENDAR], target: "GET /calendars/CALENDAR/upcoming_events" },
  { argv: ["events", "get", "EVENT", ...CALENDAR], target: `GET ${EVENT_PATH}` },
  {
    argv: [
      ...["events", "create", ...CALENDAR],
      ...["--title", "T", "--start", "2026-11-21T12:00", "--duration", "1h"],
    ],
    target: "GET /calendars",
  },
  { argv: ["events", "update", "EVENT", ...CALENDAR, "--title", "X"], target: `GET ${EVENT_PATH}` },
];

describeRepeated(READS);

test("the response to whoami cut after each byte: fails with one sentence", async () => {
  const recording = await record(WHOAMI);
  await expectFailures(recording, everyByteOf(recording.answer), NO_REPEAT);
});

describe.each(["chunked", "close"] as const)("a body framed by %s, cut after each byte of it", (framing) => {
  test("repeated until it is complete", async () => {
    await expectRepeats(await record(WHOAMI), framing);
  });

  test("fails with one sentence", async () => {
    const recording = await record(WHOAMI);
    await expectFailures(recording, everyByteOf(recording.answer, framing), { framing, ...NO_REPEAT });
    await expectWhole(recording, framing);
  });
});
