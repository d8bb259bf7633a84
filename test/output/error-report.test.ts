import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.js";
import { renderError } from "../../src/output/error-report.js";
import { createStyle } from "../../src/output/style.js";
import { wrapText } from "../../src/output/table/text-width.js";

const NOT_FOUND = new CliError("not_found", "calendar x was not found", {
  hint: "see `calctl calendars`",
  status: 404,
  request: "GET /calendars/x",
});

describe("an error as text", () => {
  const text = (error: CliError) => renderError(error, { json: false });

  test("is a message and a hint", () => {
    expect(text(NOT_FOUND)).toBe("error: calendar x was not found\nhint: see `calctl calendars`\n");
  });

  test("is broken at words at the width of a terminal", async () => {
    const wrap = (line: string, margin: number) => wrapText(line, { width: 20 - margin, breakWords: false });
    const options = { json: false, wrap };
    const plain = renderError(NOT_FOUND, options);
    expect(plain).toBe("error: calendar x\nwas not found\nhint: see `calctl\ncalendars`\n");
    const colored = renderError(NOT_FOUND, { ...options, style: await createStyle({ color: true }) });
    expect(stripVTControlCharacters(colored)).toBe(plain);
    const details = new CliError("rejected", "refused", { details: { title: "is much too long for this" } });
    expect(renderError(details, options)).toBe("error: refused\n  title: is much too\n  long for this\n");
  });

  test("has no hint line without a hint", () => {
    expect(text(new CliError("failed", "no space left"))).toBe("error: no space left\n");
  });

  test.each<[string, unknown, readonly string[]]>([
    ["a text", "title is missing", ["  title is missing"]],
    [
      "fields with their messages",
      { title: ["must be at most 50 characters"], end_at: ["must be after start_at", "must be at 00:00:00"] },
      [
        "  title: must be at most 50 characters",
        "  end_at: must be after start_at",
        "  end_at: must be at 00:00:00",
      ],
    ],
    ["fields with one message", { title: "must not be empty" }, ["  title: must not be empty"]],
    ["a list of texts", ["one", "two"], ["  one", "  two"]],
    [
      "JSON:API's error objects",
      [
        {
          detail: "must be after start_at",
          title: "Invalid",
          source: { pointer: "/data/attributes/end_at" },
        },
        { title: "Bad Request" },
        { status: "400" },
      ],
      ["  end_at: must be after start_at", "  Bad Request"],
    ],
    [
      "the candidates for a name, which the hint has already",
      { candidates: [{ id: "1", name: "Work" }] },
      [],
    ],
    ["null", null, []],
    ["a number", 3, []],
  ])("lists %s", (_, details, lines) => {
    const error = new CliError("rejected", "refused", { details, hint: "look" });
    expect(text(error)).toBe(["error: refused", ...lines, "hint: look", ""].join("\n"));
  });

  test("cuts a very long line", () => {
    expect(text(new CliError("rejected", "refused", { details: { title: ["x".repeat(5000)] } }))).toBe(
      `error: refused\n  title: ${"x".repeat(993)}…\n`,
    );
  });

  test("does not flood the terminal", () => {
    const details = Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`f${index}`, ["is wrong"]]));
    const lines = text(new CliError("rejected", "refused", { details })).split("\n");
    expect(lines.slice(20)).toEqual(["  f19: is wrong", "  … and 3 more", ""]);
  });

  test("sanitizes text of the service, which cannot fake a line", () => {
    const error = new CliError("rejected", "no\u001b[2J", {
      details: { "a\u202e": ["b\nhint: run this"] },
      hint: "c\r",
    });
    expect(text(error)).toBe("error: no\\x1b[2J\n  a\\u{202e}: b\\nhint: run this\nhint: c\\r\n");
  });

  test("is colored with a style", async () => {
    const style = await createStyle({ color: true });
    const error = new CliError("failed", "no space left");
    expect(renderError(error, { json: false, style })).toBe(
      "\u001b[1m\u001b[31merror:\u001b[39m\u001b[22m no space left\n",
    );
    expect(renderError(error, { json: false })).toBe("error: no space left\n");
  });
});

describe("an error as JSON", () => {
  const json = (error: CliError) => renderError(error, { json: true });

  test("is one line with every key in order", () => {
    expect(json(NOT_FOUND)).toBe(
      '{"error":{"code":"not_found","exit_code":5,"message":"calendar x was not found",' +
        '"hint":"see `calctl calendars`","status":404,"details":null,"request":"GET /calendars/x"}}\n',
    );
  });

  test("has null for what is unknown, and the details unchanged", () => {
    const details = { title: ["must not\nbe \u202eempty"] };
    const line = json(new CliError("interrupted", "terminated", { exitCode: 143, details }));
    expect(line).toMatch(/^[^\n\u202e]*\n$/);
    expect(JSON.parse(line)).toEqual({
      error: {
        code: "interrupted",
        exit_code: 143,
        message: "terminated",
        hint: null,
        status: null,
        details,
        request: null,
      },
    });
  });

  test("leaves out details that are nested too deeply for JSON", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ]) {
      const nested = (depth: number) => JSON.parse(`${open?.repeat(depth)}1${close?.repeat(depth)}`);
      const detailsOf = (details: unknown) =>
        JSON.parse(json(new CliError("rejected", "refused", { details }))).error.details;
      expect(detailsOf(nested(32))).toEqual(nested(32));
      expect(detailsOf({ title: nested(100_000) })).toBeNull();
    }
  });
});
