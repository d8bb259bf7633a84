import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textWidth, wrapMessage, wrapText } from "../../src/output/table/text-width.js";

describe("wrapText", () => {
  test.each([
    ["the quick brown fox", 10, ["the quick", "brown fox"]],
    ["short", 10, ["short"]],
    ["its own\nlines\n\nstay", 20, ["its own", "lines", "", "stay"]],
    ["日本語には空白がない", 10, ["日本語には", "空白がない"]],
    ["abc 日本語 def", 8, ["abc 日本", "語 def"]],
    ["かきくけか\u3099", 8, ["かきくけ", "か\u3099"]],
    ["a\tb", 20, ["a    b"]],
    ["https://example/long", 10, ["https://ex", "ample/long"]],
    ["two  spaces", 5, ["two", "space", "s"]],
  ])("%j in %i columns", (text, width, lines) => {
    expect(wrapText(text, { width, breakWords: true })).toEqual(lines);
  });

  test("keeps a long word whole if words must not be broken", () => {
    const lines = wrapText("see 0123456789abcdef now", { width: 8, breakWords: false });
    expect(lines).toEqual(["see", "0123456789abcdef", "now"]);
  });

  test("breaks text at 100 columns of a wider terminal, but no word, and in a pipe nothing", () => {
    const [text, url] = ["word ".repeat(30).trim(), `https://${"x".repeat(140)}`];
    const lines = wrapText(`${text} ${url} end`, { width: 200, breakWords: true });
    expect(lines).toEqual(["word ".repeat(20).trim(), "word ".repeat(10).trim(), url, "end"]);
    expect(wrapText(text, { width: Number.POSITIVE_INFINITY, breakWords: true })).toEqual([text]);
  });

  test("never loses a character and never exceeds the width", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", " ", "日", "👩‍💻", "e\u0301", "\n", "か\u3099"),
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 10, max: 30 }), (value, width) => {
        const lines = wrapText(value, { width, breakWords: true });
        expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(width);
        expect(lines.join("").replace(/\s/g, "")).toBe(value.replace(/\s/g, ""));
      }),
    );
  });
});

describe("wrapMessage", () => {
  test.each([
    ["did you mean calctl service calendars add?", 40, ["did you mean", "calctl service calendars add?"]],
    ["sign in: calctl login --profile work; or not", 36, ["sign in:", "calctl login --profile work; or not"]],
    ["calctl events list -h lists its flags", 28, ["calctl events list -h lists", "its flags"]],
    ["those of the week, by --days 7", 28, ["those of the week, by", "--days 7"]],
    ["run calctl events update --help, too", 20, ["run", "calctl events update --help,", "too"]],
    [
      "first run there: ssh -L 5000:127.0.0.1:5000 HOST",
      40,
      ["first run there:", "ssh -L 5000:127.0.0.1:5000 HOST"],
    ],
    ["with calctl add --yes 'Lunch, with Ana'", 36, ["with", "calctl add --yes 'Lunch, with Ana'"]],
    ["try TZ=Europe/Berlin calctl agenda instead", 36, ["try", "TZ=Europe/Berlin calctl agenda instead"]],
    [
      "calctl targets add --insecure-storage stores the URL in a file",
      60,
      ["calctl targets add --insecure-storage stores the URL in a", "file"],
    ],
    [
      "set the service's media type: calctl config set media_type application/vnd.NAME.v1+json",
      54,
      ["set the service's media type:", "calctl config set media_type application/vnd.NAME.v1+json"],
    ],
  ])("breaks %j in %i columns at no space of a command", (text, width, lines) => {
    expect(wrapMessage(text, width)).toEqual(lines);
  });

  // Where the time grew with the square of the text, it would run out.
  test.each(["A=x ", "-a", "calctl '", "A="])("looks for commands in %j again and again", (text) => {
    expect(wrapMessage(text.repeat(40_000), 60)).not.toEqual([]);
  });
});
