import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.js";
import { renderError } from "../../src/output/error-report.js";

const MEBIBYTE = 1024 * 1024;

/** `[[[…]]]` */
function nested(depth: number): unknown {
  return JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
}

/** The details as an error has them in JSON. */
function bound(details: unknown): unknown {
  const { error } = JSON.parse(renderError(new CliError("rejected", "refused", { details }), { json: true }));
  return error.details;
}

function reports(details: unknown): readonly string[] {
  const error = new CliError("rejected", "refused", { details });
  return [true, false].map((json) => renderError(error, { json }));
}

describe("a value that services send", () => {
  test("is not changed when it has a usual size", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
        expect(bound(value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("keeps a long list of failures", () => {
    const failed = Array.from({ length: 5000 }, (_, index) => ({
      id: `id-${index}`,
      message: "x".repeat(60),
    }));
    expect(bound({ failed })).toEqual({ failed });
  });

  test("keeps members named like those of Object.prototype", () => {
    const value = JSON.parse('{"__proto__": {"a": "b"}, "constructor": "c", "toString": "d"}');
    expect(JSON.stringify(bound(value))).toBe(JSON.stringify(value));
    expect(({} as Readonly<Record<string, unknown>>)["a"]).toBeUndefined();
  });

  test("is cut where it is nested too deeply, with a mark", () => {
    expect(JSON.stringify(bound(nested(100_000)))).toBe(`${"[".repeat(32)}"…"${"]".repeat(32)}`);
    expect(bound(nested(32))).toEqual(nested(32));
  });

  test.each<[string, unknown, RegExp]>([
    ["one text", "x".repeat(30 * MEBIBYTE), /^"x+…"$/],
    ["a list", Array(3_000_000).fill("xx"), /,"… \d+ more"\]$/],
    [
      "an object",
      Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, 1])),
      /,"…":"\d+ more"\}$/,
    ],
    ["names", { ["x".repeat(30 * MEBIBYTE)]: 1 }, /^\{"x+…":1\}$/],
    ["lists in lists", Array(2000).fill(Array(2000).fill(0)), /,"… \d+ more"\]$/],
  ])("of %s is cut where it is too large, with a mark", (_, value, end) => {
    const text = JSON.stringify(bound(value));
    expect(text.length).toBeLessThan(3 * MEBIBYTE);
    expect(text).toMatch(end);
  });

  test("is not cut inside a character", () => {
    const text = (length: number) => `${"a".repeat(length)}😀`;
    const messageOf = (message: string) =>
      JSON.parse(renderError(new CliError("rejected", message), { json: true })).error.message;
    expect(messageOf(text(65_535))).toBe(`${"a".repeat(65_535)}…`);
    expect(messageOf(text(65_534))).toBe(text(65_534));
  });
});

describe("an error about such a value", () => {
  test.each<[string, unknown]>([
    ["deep lists", nested(100_000)],
    ["deep objects", JSON.parse(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`)],
    ["a field with deep messages", { title: nested(10_000) }],
    ["30 MB of messages", { title: Array(300_000).fill("x".repeat(100)) }],
    [
      "30 MB of fields",
      Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`.padEnd(90), "m"])),
    ],
    ["a deep prototype", JSON.parse(`{"__proto__": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`)],
  ])("of %s can still be reported", (_, details) => {
    const [json = "", text = ""] = reports(details);
    expect(json).toMatch(/^\{"error":[^\n]+\}\n$/);
    expect(JSON.parse(json)).toMatchObject({ error: { code: "rejected", exit_code: 11 } });
    expect(text).toMatch(/^error: refused\n/);
    expect(text.length).toBeLessThan(30_000);
  });

  test("is cut when its message is too long", () => {
    const endless = "x".repeat(30 * MEBIBYTE);
    const error = new CliError("rejected", endless, { hint: endless });
    for (const json of [true, false]) {
      expect(renderError(error, { json }).length).toBeLessThan(200_000);
    }
  });
});
