import { expect, test } from "vitest";
import { readImportFile } from "../../src/commands/import/read.js";
import { SLOW_TEXTS } from "../support/slow-texts.js";

/** Texts that fill a file. Where the time grew with the square of their length, it would run out. */

const LENGTH = 50_000;

const FILES: Readonly<Record<string, (text: string) => string>> = {
  "iCalendar texts": (text) =>
    `BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:${text}\nURL:${text}\nDTSTART:20261121\nCATEGORIES:${text}\nEND:VEVENT\nEND:VCALENDAR\n`,
  "iCalendar times": (text) =>
    `BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;TZID=${text}:${text}\nDURATION:${text}\nRRULE:${text}\nEND:VEVENT\nEND:VCALENDAR\n`,
  "iCalendar between events": (text) => `BEGIN:VCALENDAR${text}\n${text}\nBEGIN:VEVENT\n${text}`,
  "a table's cells": (text) =>
    `title,start,end,all_day,url\n"${text}",2026-11-21 ${text},${text},"${text}",${text}\n`,
  "a table's times": (text) => `title,start,start_time\nx,2026-11-21,${text}\ny,2026-11-21T${text},\n`,
  "a table's header": (text) => `title,start,${text}\nx,2026-11-21,${text}\n`,
  NDJSON: (text) => `${JSON.stringify({ title: text, start_at: text, url: text })}\n{"title":"${text}`,
  JSON: (text) => JSON.stringify([{ title: text, start_at: text }, text], null, 2),
};

test.each(Object.entries(FILES))("%s", { timeout: 20_000 }, async (_, fileOf) => {
  for (const [, textOf] of SLOW_TEXTS) {
    const bytes = Buffer.from(fileOf(textOf(LENGTH)));
    const file = await readImportFile(bytes, { name: "x", zone: "UTC", dates: "dmy", truncate: true });
    expect(file.items).not.toEqual([]);
  }
});
