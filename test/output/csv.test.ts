import { describe, expect, test } from "vitest";
import { serviceClientView } from "../../service/views/service.js";
import { createConfigView } from "../../src/commands/account/view.js";
import { labelView } from "../../src/events/views/calendar.js";
import { deletedView, eventView } from "../../src/events/views/event.js";
import { EVENT, WORK_LABEL } from "./fixtures.js";
import { rendered } from "./rendered.js";

const CSV = { format: "csv" };

describe("csv", () => {
  test("has a header and the columns of tsv, with CRLF", async () => {
    expect(await rendered(eventView, [EVENT], CSV)).toBe(
      "id,calendar_id,start_local,end_local,all_day,category,label,title,location\r\n" +
        "0123456789abcdef0123456789abcdef,AbC-dEf_GhIj,2026-11-21T15:00:00+09:00,2026-11-21T16:00:00+09:00," +
        "false,schedule,1,Parents' evening at the school by the river,Room 12\r\n",
    );
  });

  test("has the columns of --fields", async () => {
    const fields = "number,name";
    expect(await rendered(labelView, [WORK_LABEL], { ...CSV, fields })).toBe("number,name\r\n6,仕事\r\n");
  });

  test("of an empty list is the same header", async () => {
    expect(await rendered(labelView, [], CSV)).toBe("id,number,name,color\r\n");
    expect(await rendered(serviceClientView, [], CSV)).toBe("id,name,client_id,redirect_uris\r\n");
  });

  test("of settings has one key and its value per line", async () => {
    const view = createConfigView("work", ["timezone", "token_command"]);
    expect(await rendered(view, { timezone: null, token_command: '["pass","show"]' }, CSV)).toBe(
      'key,value\r\ntimezone,\r\ntoken_command,"[""pass"",""show""]"\r\n',
    );
  });

  test("of a deletion is empty, like tsv", async () => {
    expect(await rendered(deletedView, { deleted: [EVENT.id] }, CSV)).toBe("");
  });

  test.each([
    ["a comma", "a,b", '"a,b"'],
    ["a quotation mark", 'a"b', '"a""b"'],
    ["a line feed", "a\nb", '"a\nb"'],
    ["a carriage return", "a\rb", '"a\rb"'],
    ["nothing, which would be an empty line", "", '""'],
    ["spaces", " a ", " a "],
    ["a formula", "=1+1", "=1+1"],
  ])("quotes %s only where it must", async (_, name, cell) => {
    const options = { ...CSV, fields: "name" };
    expect(await rendered(labelView, [{ ...WORK_LABEL, name }], options)).toBe(`name\r\n${cell}\r\n`);
  });

  test("is sanitized on a terminal", async () => {
    const label = { ...WORK_LABEL, name: "a\u001b[31m\nb" };
    const options = { ...CSV, fields: "name", columns: 80 };
    expect(await rendered(labelView, [label], options)).toBe("name\r\na\\x1b[31m\\nb\r\n");
  });
});

describe("--csv-safe", () => {
  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", '"\'\r=1"'],
    ["1=1", "1=1"],
    ["'=1", "'=1"],
  ])("writes %j as %j", async (name, cell) => {
    const options = { ...CSV, csvSafe: true, fields: "name" };
    expect(await rendered(labelView, [{ ...WORK_LABEL, name }], options)).toBe(`name\r\n${cell}\r\n`);
  });

  test.each([undefined, "tsv", "json"])("is refused with %s", async (format) => {
    const options = { csvSafe: true, ...(format === undefined ? {} : { format }) };
    await expect(rendered(labelView, [WORK_LABEL], options)).rejects.toMatchObject({
      code: "usage",
      message: "--csv-safe: only csv output has formulas to defuse",
      hint: "add --output csv",
    });
  });
});
