import { describe, expect, test } from "vitest";
import { resolveAttendees } from "../../src/events/names.js";
import { failureOf, userOf } from "./fixtures.js";

const MEMBERS = [
  userOf("cal,1", "Ana"),
  userOf("cal,2", "Ben"),
  userOf("cal,3", "ben"),
  userOf("4", "Cleo"),
  userOf("cal,90071992547409931", "Dora"),
];

function resolve(values: readonly string[], me: string | null = "1"): readonly string[] {
  const named = values.map((value) => ({ value, source: "--attendee" }));
  return resolveAttendees(named, MEMBERS, { me, calendarId: "cal" });
}

describe("resolveAttendees", () => {
  test.each([
    ["a composite id", "cal,2", "cal,2"],
    ["a plain id", "2", "cal,2"],
    ["an id beyond exact numbers", "90071992547409931", "cal,90071992547409931"],
    ["a name", "ana", "cal,1"],
    ["the beginning of a name", "do", "cal,90071992547409931"],
    ["a member with a plain id", "Cleo", "cal,4"],
    ["me", "me", "cal,1"],
  ])("accepts %s", (_, value, id) => {
    expect(resolve([value])).toEqual([id]);
  });

  test("me may be given as a composite id", () => {
    expect(resolve(["me"], "cal,2")).toEqual(["cal,2"]);
  });

  test("keeps the order and removes duplicates", () => {
    expect(resolve(["Cleo", "me", "cal,1", "Ana", "4"])).toEqual(["cal,4", "cal,1"]);
    expect(resolve([])).toEqual([]);
  });

  test.each(["Eve", "9", "other,1"])("%s is not a member: exit 5 with the candidates", (value) => {
    const failure = failureOf(() => resolve([value]));
    expect(failure.exitCode).toBe(5);
    expect(failure.hint).toContain("members: Ana (cal,1), Ben (cal,2)");
  });

  test("a name that two members have is exit 2", () => {
    expect(resolve(["ben"])).toEqual(["cal,3"]);
    const failure = failureOf(() => resolve(["BEN"]));
    expect(failure).toMatchObject({ exitCode: 2, hint: "name one of: Ben (cal,2), ben (cal,3)" });
  });

  test("a beginning that several members have is exit 2", () => {
    expect(failureOf(() => resolve(["be"]))).toMatchObject({
      exitCode: 2,
      hint: "name one of: Ben (cal,2), ben (cal,3)",
    });
  });

  test.each([
    ["an empty value", [""], "1"],
    ["me where it is not known who that is", ["me"], null],
  ])("%s is exit 2", (_, values, me) => {
    expect(failureOf(() => resolve(values, me)).exitCode).toBe(2);
  });
});
