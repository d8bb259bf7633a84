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
} from "./cutting.js";

/**
 * Every answer to a read from the real service, cut after each of its bytes: no part of it is taken for the answer,
 * the command repeats the request, and prints in the end what it prints undisturbed. Up to a hundred cuts share a run.
 * How it ends when nothing whole comes, in one sentence and with the right exit code, is shown for each byte of one
 * command, and for one of each kind of place in the others: a command learns that an attempt failed, not at which
 * byte. See docs/decisions/2026-11-21-what-the-fault-tests-leave-out.md.
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

test("cut after each byte of whoami's answer: fails", { timeout: 60_000 }, async () => {
  const recording = await record(WHOAMI);
  await expectFailures(recording, everyByteOf(recording.answer), NO_REPEAT);
});

describe.each(["chunked", "close"] as const)("a body framed by %s, cut after each byte of it", (framing) => {
  test("repeated, and whole in the end", async () => {
    await expectRepeats(await record(WHOAMI), framing);
  });

  test("fails", { timeout: 60_000 }, async () => {
    const recording = await record(WHOAMI);
    await expectFailures(recording, everyByteOf(recording.answer, framing), { framing, ...NO_REPEAT });
    await expectWhole(recording, framing);
  });
});
