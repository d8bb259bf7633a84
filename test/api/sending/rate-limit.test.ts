import { describe, expect, test } from "vitest";
import {
  clockOffset,
  paddedWait,
  readReset,
  readRetryAfter,
  waitAfterRefusal,
  waitIfUsedUp,
} from "../../../src/api/sending/rate-limit.js";

const NOW = Date.parse("2026-11-21T14:30:00.000Z");
const seconds = (milliseconds: number) => String(milliseconds / 1000);
const HOUR = 3_600_000;

describe("the service's clock", () => {
  const times = { sentAt: NOW - 1000, receivedAt: NOW + 1000 };

  test("is compared with the middle between sending and receiving", () => {
    expect(clockOffset({ date: "Sat, 21 Nov 2026 15:30:00 GMT" }, times)).toBe(HOUR);
    expect(clockOffset({ date: "Sat, 21 Nov 2026 13:30:00 GMT" }, times)).toBe(-HOUR);
    expect(clockOffset({ date: "Saturday, 21-Nov-26 15:30:00 GMT" }, times)).toBe(HOUR);
    expect(clockOffset({ date: "Sat Nov 21 15:30:00 2026" }, times)).toBe(HOUR);
  });

  test.each([
    ["no Date", {}],
    ["a Date from a cache", { date: "Sat, 21 Nov 2026 15:30:00 GMT", age: "3600" }],
    ["garbage", { date: "yesterday" }],
    ["ISO 8601", { date: "2026-11-21T15:30:00Z" }],
    ["two of them", { date: "Sat, 21 Nov 2026 15:30:00 GMT, Sat, 21 Nov 2026 15:30:00 GMT" }],
  ])("%s is ignored", (_, headers) => {
    expect(clockOffset(headers as Record<string, string>, times)).toBe(0);
  });
});

describe("Retry-After", () => {
  test.each([
    ["0", 0],
    ["2", 2000],
    ["1.5", 1500],
    [" 7 ", 7000],
    ["Sat, 21 Nov 2026 14:31:00 GMT", 60_000],
    ["Sat, 21 Nov 2026 14:29:00 GMT", 0],
    ["Saturday, 21-Nov-26 14:31:00 GMT", 60_000],
    ["Saturday, 21-Nov-99 14:31:00 GMT", 0],
    ["Sat Nov 21 14:31:00 2026", 60_000],
    ["Sun Dec  6 14:30:00 2026", 15 * 24 * HOUR],
    ["2, 3", 3000],
    ["30, soon", 30_000],
    ["30, Sat, 21 Nov 2026 14:31:00 GMT", 60_000],
    ["Saturday, 21-Nov-26 14:31:00 GMT,Sat Nov 21 14:32:00 2026, 5", 120_000],
    ["999999999999999", 999_999_999_999_999_000],
  ])("%s", (text, wait) => {
    expect(readRetryAfter({ "retry-after": text }, NOW)).toBe(wait);
  });

  test.each([
    "",
    "-1",
    "soon",
    "1e3",
    "0x10",
    "9999999999999999",
    "soon, later",
    "Sat, 31 Nov 2026 14:31:00 GMT",
    "Sat, 99 Nov 2026 14:31:00 GMT",
    "Sat, 21 Non 2026 14:31:00 GMT",
    "Sat Nov 21 2026 14:31:00",
    "Saturday, 21-Nov-26 25:31:00 GMT",
  ])("%j is garbage", (text) => {
    expect(readRetryAfter({ "retry-after": text }, NOW)).toBeNull();
  });
});

describe("X-RateLimit-Reset", () => {
  test.each([
    ["a time ahead", seconds(NOW + 600_000), 600_000],
    ["now", seconds(NOW), 0],
    ["past", seconds(NOW - 600_000), 0],
    ["ten years ahead", seconds(NOW + 315_360_000_000), 315_360_000_000],
    ["seconds to wait", "30", 30_000],
    ["0", "0", 0],
    ["milliseconds of the epoch", String(NOW + 1500), 1500],
    ["past milliseconds", String(NOW - 1500), 0],
    ["microseconds of the epoch", String(NOW * 1000), null],
    ["neither", "5000000", null],
    ["-1", "-1", null],
    ["abc", "abc", null],
    ["two of them", "30, 30", null],
    ["nothing", "", null],
  ])("%s", (_, text, wait) => {
    expect(readReset({ "x-ratelimit-reset": text }, NOW)).toBe(wait);
  });
});

describe("after a 429", () => {
  const reset = { "x-ratelimit-reset": seconds(NOW + 600_000) };

  test("Retry-After takes precedence over the reset", () => {
    expect(waitAfterRefusal({ ...reset, "retry-after": "2" }, NOW, 1)).toBe(2000);
    expect(waitAfterRefusal({ ...reset, "retry-after": "soon" }, NOW, 1)).toBe(600_000);
  });

  test("without valid headers, the wait is a second and doubles up to 20", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((refusals) => waitAfterRefusal({}, NOW, refusals));
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
    expect(waitAfterRefusal({ "retry-after": "0" }, NOW, 3)).toBe(4000);
    expect(waitAfterRefusal({ "x-ratelimit-reset": seconds(NOW - 5000) }, NOW, 1)).toBe(1000);
  });
});

describe("when nothing is left", () => {
  const reset = seconds(NOW + 30_000);

  test.each([
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }, 30_000],
    [{ "x-ratelimit-remaining": "1", "x-ratelimit-reset": reset }, null],
    [{ "x-ratelimit-remaining": "none", "x-ratelimit-reset": reset }, null],
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": seconds(NOW - 1000) }, null],
    [{ "x-ratelimit-remaining": "0" }, null],
    [{ "x-ratelimit-reset": reset }, null],
  ])("%j: the next request waits %s ms", (headers, wait) => {
    expect(waitIfUsedUp(headers as Record<string, string>, NOW)).toBe(wait);
  });
});

test("a wait is one or two seconds longer than needed, but never exceeds the budget", () => {
  expect(paddedWait(5000, 60_000, 0)).toBe(6000);
  expect(paddedWait(5000, 60_000, 0.5)).toBe(6500);
  expect(paddedWait(59_500, 60_000, 0.5)).toBe(60_000);
  expect(paddedWait(60_000, 60_000, 0.5)).toBe(60_000);
  expect(paddedWait(60_001, 60_000, 0.5)).toBeNull();
});
