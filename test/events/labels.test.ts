import { describe, expect, test } from "vitest";
import type { Label } from "../../contract/shapes.js";
import { resolveLabel } from "../../src/events/names.js";
import { failureOf } from "./fixtures.js";

function labelOf(number: number | null, name: string | null, id = `cal,${number}`): Label {
  return { id, number, name, color: "#2ecc87" };
}

const LABELS = [
  labelOf(1, ""),
  labelOf(2, "modern cyan"),
  labelOf(3, "Work, urgent"),
  labelOf(4, "twin"),
  labelOf(5, "Twin"),
  labelOf(null, "odd", "cal,x9"),
  labelOf(7, "2027"),
];

const ALL = "1, 2 modern cyan, 3 Work, urgent, 4 twin, 5 Twin, x9 odd, 7 2027";

function resolve(value: string): Label {
  return resolveLabel(value, LABELS, { calendarId: "cal", source: "--label" });
}

describe("resolveLabel", () => {
  test.each([
    ["the default label", "1", "cal,1"],
    ["a number", "2", "cal,2"],
    ["a composite id", "cal,2", "cal,2"],
    ["a plain id that is no number", "x9", "cal,x9"],
    ["a name", "Modern Cyan", "cal,2"],
    ["a name with a comma", "work, urgent", "cal,3"],
    ["a name that looks like a number", "2027", "cal,7"],
  ])("finds by %s", (_, value, id) => {
    expect(resolve(value).id).toBe(id);
  });

  test.each([
    ["a number the calendar lacks", "9"],
    ["another calendar's label", "other,2"],
    ["a name nobody bears", "pink"],
    ["the beginning of a name", "modern", "2 modern cyan, 1, 3 Work, urgent, 4 twin, 5 Twin, x9 odd, 7 2027"],
    ["the word null", "null"],
    ["a number written otherwise", "02", "7 2027, 1, 2 modern cyan, 3 Work, urgent, 4 twin, 5 Twin, x9 odd"],
  ])("%s is exit 5, with the candidates, closest first", (_, value, candidates = ALL) => {
    const failure = failureOf(() => resolve(value));
    expect(failure.exitCode).toBe(5);
    expect(failure.hint).toBe(`labels: ${candidates}`);
  });

  test("a name that two labels have is exit 2 and lists them", () => {
    expect(failureOf(() => resolve("TWIN"))).toMatchObject({
      exitCode: 2,
      hint: "name one of: 4 twin, 5 Twin",
    });
  });

  test("an empty value is exit 2", () => {
    expect(failureOf(() => resolve(""))).toMatchObject({ exitCode: 2, message: "--label is empty" });
  });
});
