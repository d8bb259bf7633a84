import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Candidate, checkId, describeCandidates, resolveName } from "../../src/events/names.js";
import { SLOW_TEXTS } from "../support/slow-texts.js";
import { failureOf } from "./fixtures.js";

const CALENDARS: readonly Candidate[] = [
  { id: "abc", name: "Family" },
  { id: "def", name: "Work" },
  { id: "ghi", name: "Workshop" },
  { id: "work", name: "Garden" },
  { id: "jkl", name: "École" },
  { id: "mno", name: null },
  { id: "pqr", name: "Twins" },
  { id: "stu", name: "twins" },
];

function resolve(value: string, byPrefix = true): Candidate {
  return resolveName(value, CALENDARS, { noun: "calendar", source: "--calendar", byPrefix });
}

describe("resolveName", () => {
  test.each([
    ["an id", "abc", "abc"],
    ["an id before a name", "work", "work"],
    ["a name", "Family", "abc"],
    ["a name in another case", "WORKSHOP", "ghi"],
    ["a whole name before the beginning of one", "Work", "def"],
    ["a name in the same case before others", "twins", "stu"],
    ["the beginning of a name", "fam", "abc"],
    ["another spelling of the same letters", "e\u0301cole", "jkl"],
  ])("finds by %s", (_, value, id) => {
    expect(resolve(value).id).toBe(id);
  });

  // Unbounded, some of these take minutes or all memory.
  test.each(SLOW_TEXTS)("compares names of 20,000 %s in little time", (_, textOf) => {
    const names = [1, 2, 3].map((id) => ({ id: String(id), name: textOf(20_000) + id }));
    const options = { noun: "calendar", source: "-c", byPrefix: true };
    expect(resolveName(`${textOf(20_000)}2`, names, options).id).toBe("2");
    const expected = /\p{Cc}/u.test(textOf(1)) ? "usage" : "not_found";
    expect(failureOf(() => resolveName(`${textOf(20_000)}4`, names, options)).code).toBe(expected);
  });

  test("labels and members do not match by prefix", () => {
    expect(failureOf(() => resolve("fam", false)).exitCode).toBe(5);
    expect(resolve("twins", false).id).toBe("stu");
    expect(failureOf(() => resolve("TWINS", false)).exitCode).toBe(2);
  });

  test("no match is exit 5 with the candidates", () => {
    const failure = failureOf(() => resolve("Sports"));
    expect(failure).toMatchObject({
      code: "not_found",
      exitCode: 5,
      message: '--calendar: there is no calendar "Sports"',
    });
    expect(failure.hint).toContain("calendars: Family (abc), Work (def)");
    expect(failure.details).toMatchObject({ candidates: CALENDARS });
  });

  test.each([
    ["a typing error", "Famliy", "Family (abc), "],
    ["part of a name", "shop", "Workshop (ghi), "],
    ["a beginning before a part", "wor", "Work (def), Workshop (ghi), Homework (xyz), Family (abc)"],
  ])("candidates are listed closest first: %s", (_, value, closest) => {
    const calendars = [{ id: "xyz", name: "Homework" }, ...CALENDARS];
    const options = { noun: "calendar", source: "-c" };
    expect(failureOf(() => resolveName(value, calendars, options)).hint).toContain(`calendars: ${closest}`);
  });

  test("of many candidates ten are listed, and the rest counted", () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ id: `id${index}`, name: `Team ${index}` }));
    const find = (value: string) =>
      failureOf(() => resolveName(value, many, { noun: "member", source: "--attendee", byPrefix: true }));
    expect(find("Ana").hint).toMatch(/^members: Team 0 \(id0\), .*, Team 9 \(id9\), and 20 more$/);
    expect(find("team").hint).toMatch(/^name one of: Team 0 \(id0\), .*, and 20 more$/);
  });

  test("a very long value is compared with nothing of another length", () => {
    const long = "x".repeat(500_000);
    expect(failureOf(() => resolve(long)).exitCode).toBe(5);
  });

  test("the hint says when there are no candidates", () => {
    const failure = failureOf(() => resolveName("x", [], { noun: "label", source: "--label" }));
    expect(failure).toMatchObject({ exitCode: 5, hint: "there are no labels" });
  });

  test.each([
    ["two of the same name", "TWINS", "name one of: Twins (pqr), twins (stu)"],
    ["two that begin so", "wor", "name one of: Work (def), Workshop (ghi)"],
  ])("several matches, %s: exit 2 with those", (_, value, hint) => {
    expect(failureOf(() => resolve(value))).toMatchObject({ code: "usage", exitCode: 2, hint });
  });

  test("candidates are described by the given function", () => {
    const options = { noun: "calendar", source: "-c", describe: ({ id }: Candidate) => `<${id}>` };
    expect(failureOf(() => resolveName("x", CALENDARS.slice(0, 2), options)).hint).toBe(
      "calendars: <abc>, <def>",
    );
  });

  test("an id always wins", () => {
    fc.assert(
      fc.property(fc.constantFrom(...CALENDARS), (calendar) => {
        expect(resolve(calendar.id)).toBe(calendar);
      }),
    );
  });
});

test("describeCandidates shows only the id if there is no name", () => {
  expect(
    describeCandidates([
      { id: "a", name: "" },
      { id: "b", name: null },
      { id: "c", name: "C" },
    ]),
  ).toBe("a, b, C (c)");
});

test("a name with a control character is a usage error", () => {
  const resolve = () =>
    resolveName("Family\r", [{ id: "a", name: "Family" }], { noun: "calendar", source: "-c" });
  expect(failureOf(resolve)).toMatchObject({
    code: "usage",
    message: '-c: "Family\\r" contains a control character',
  });
});

describe("checkId", () => {
  test.each(["-Ab_9", "a.b", "..."])("accepts %s", (id) => {
    expect(checkId(id, "ID")).toBe(id);
  });

  test.each(["", ".", "..", "a\0b", "a\nb", "a\u0085"])("rejects %j", (id) => {
    expect(failureOf(() => checkId(id, "ID")).code).toBe("usage");
  });
});
