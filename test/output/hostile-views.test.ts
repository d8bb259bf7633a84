import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { serviceClientView, serviceTokenView, serviceUserView } from "../../service/views/service.js";
import { createConfigView, profileView, statusView } from "../../src/commands/account/view.js";
import { activityView } from "../../src/commands/comments/comment.js";
import { targetView } from "../../src/commands/messages/targets.js";
import { calendarView, labelView, userView } from "../../src/events/views/calendar.js";
import { deletedView, eventView } from "../../src/events/views/event.js";
import type { View } from "../../src/output/view.js";
import { createValueView } from "../../src/output/views/plain.js";
import { DIRECTION_MARKS, harmfulCodes, hostileText, isRightToLeft } from "../support/harmful-text.js";
import { numberOfRuns } from "../support/shared.js";
import { ACTIVITY, ALL_DAY_EVENT, CALENDAR, EVENT, MEMBER, STATUS, WORK_LABEL } from "./fixtures.js";
import { rendered } from "./rendered.js";

const ESCAPE = "\u001b";
const OWN_COLORS = new RegExp(`\\n|${ESCAPE}\\[(?:\\d+|38;5;\\d+)m`, "g");

type Values = Readonly<Record<string, unknown>>;

/** A view with a value, each text of which is replaced by a hostile one. */
interface Sample {
  readonly view: View<Values>;
  readonly value: Values;
}

function sample<T>(view: View<T>, value: NoInfer<T>): Sample {
  return { view, value } as unknown as Sample;
}

const SAMPLES: readonly (readonly [string, Sample])[] = [
  ["event", sample(eventView, EVENT)],
  ["all-day event", sample(eventView, ALL_DAY_EVENT)],
  ["calendar", sample(calendarView, CALENDAR)],
  ["label", sample(labelView, WORK_LABEL)],
  ["user", sample(userView, MEMBER)],
  ["comment", sample(activityView, ACTIVITY)],
  ["profile", sample(profileView, { name: "n", base_url: "u", in_use: true })],
  ["target", sample(targetView, { name: "n", as: "slack" })],
  ["config", sample(createConfigView("work", ["base_url", "timezone"]), { base_url: "u", timezone: "z" })],
  ["bare value", sample(createValueView("token"), { token: "t" })],
  ["status", sample(statusView, STATUS)],
  ["deletion", sample(deletedView, { deleted: ["a", "b"] })],
  ["service user", sample(serviceUserView, { id: "1", name: "n", login: "l" })],
  [
    "service client",
    sample(serviceClientView, {
      id: "1",
      name: "n",
      client_id: "c",
      client_secret: "s",
      redirect_uris: ["u"],
    }),
  ],
  [
    "service token",
    sample(serviceTokenView, { id: "1", user_id: "u", read_only: true, created_at: "c", token: "t" }),
  ],
];

/** The value with every text replaced by the next of the given ones, in a cycle. */
function filled(value: Values, texts: readonly string[]): Values {
  let next = 0;
  return JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === "string" ? texts[next++ % texts.length] : member,
  );
}

const texts = fc.array(hostileText, { minLength: 1, maxLength: 12 });
const columns = fc.integer({ min: 1, max: 200 });
const FORMATS = ["table", "tsv", "csv", "json", "ndjson", "markdown", "text"];

/** What a format itself has besides line feeds. */
const OWN_CODES: Readonly<Record<string, RegExp>> = { tsv: /[\n\t]/g, csv: /\r?\n/g };

/** Formats that list events by day. */
const BY_DAY: readonly string[] = ["markdown", "text"];

/** The local times of an event: they are computed, and do not come from the service. */
function localTimesOf({ start_local, end_local }: Values): Values {
  return start_local === undefined ? {} : { start_local, end_local };
}

/**
 * Without what this program itself may send to a terminal. Where the width cuts off the letters written from right to left,
 * the marks among them may be left.
 */
function harmfulBut(text: string, allowed: RegExp, list: readonly string[]): readonly number[] {
  const harmful = harmfulCodes(text.replace(allowed, ""));
  return list.some(isRightToLeft) ? harmful.filter((code) => !DIRECTION_MARKS.has(code)) : harmful;
}

describe.each(SAMPLES)("a hostile %s", (_, { view, value }) => {
  test("sends no control sequences to a terminal, in any format", async () => {
    await fc.assert(
      fc.asyncProperty(texts, columns, fc.boolean(), async (list, width, single) => {
        const texts = filled(value, list);
        for (const format of FORMATS) {
          const hostile = BY_DAY.includes(format) ? { ...texts, ...localTimesOf(value) } : texts;
          const options = { format, columns: width };
          const text = await rendered(view, single ? hostile : [hostile, value], options);
          expect(harmfulBut(text, OWN_CODES[format] ?? /\n/g, list)).toEqual([]);
        }
      }),
      { numRuns: numberOfRuns(15) },
    );
  });

  test("shows no colors but those of the program", async () => {
    await fc.assert(
      fc.asyncProperty(texts, columns, async (list, width) => {
        const options = { format: "table", columns: width, color: true };
        const text = await rendered(view, filled(value, list), options);
        expect(harmfulBut(text, OWN_COLORS, list)).toEqual([]);
      }),
      { numRuns: numberOfRuns(8) },
    );
  });

  test("is not changed in a pipe", async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (list) => {
        const hostile = filled(value, list);
        const plain = JSON.parse(await rendered(view, hostile, { format: "json" }));
        const line = await rendered(view, [hostile], { format: "ndjson" });
        expect(JSON.parse(line)).toEqual(plain);
        // Texts that the view omits or computes do not come from the service.
        expect(stringsIn(plain).filter((text) => !stringsIn(hostile).includes(text))).toEqual([]);
        expect(line.trimEnd()).not.toContain("\n");
      }),
      { numRuns: numberOfRuns(8) },
    );
  });

  test("has the right number of tsv cells, which can be read back", async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (list) => {
        const hostile = filled(value, list);
        const own = await rendered(view, hostile, { format: "tsv" });
        const innocent = await rendered(view, value, { format: "tsv" });
        expect(own.split(/[\n\t]/)).toHaveLength(innocent.split(/[\n\t]/).length);
        const cells = own.split(/[\n\t]/).map(unescapeCell);
        for (const key of view.tsv) {
          const text = hostile[key];
          if (typeof text === "string") expect(cells).toContain(text);
        }
      }),
      { numRuns: numberOfRuns(8) },
    );
  });
});

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

function unescapeCell(cell: string): string {
  const meanings: Readonly<Record<string, string>> = { "\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\" };
  return cell.replace(/\\[tnr\\]/g, (found) => meanings[found] ?? found);
}
