import { describe, expect, test } from "vitest";
import { readErrorDetails } from "../../src/api/json-api/errors.js";

const words = (body: string, type = "application/problem+json") =>
  readErrorDetails({ status: 409, headers: { "content-type": type }, body: new TextEncoder().encode(body) });

describe("the details of a refusal", () => {
  test.each([
    ["errors, as they are", '{"errors":{"title":["is too long"]},"detail":"no"}', { title: ["is too long"] }],
    [
      "else the detail",
      '{"title":"Conflict","detail":"it was changed meanwhile"}',
      "it was changed meanwhile",
    ],
    [
      "the description of OAuth",
      '{"error":"invalid_token","error_description":"it has expired"}',
      "it has expired",
    ],
    ["a title of its own", '{"title":"The calendar is archived","status":409}', "The calendar is archived"],
    ["not the title of the status", '{"title":"Forbidden","status":403}', undefined],
    ["a message", '{"message":"slow down"}', "slow down"],
    ["an error code, if there is nothing else", '{"error":"archived"}', "archived"],
    ["a text as JSON", '"archived"', "archived"],
    ["members of other types do no harm", '{"detail":7,"title":["x"],"errors":null}', undefined],
    ["nothing of a number", "7", undefined],
    ["nothing of null", "null", undefined],
    ["nothing of nothing", "", undefined],
  ])("%s", (_, body, expected) => {
    expect(words(body)).toEqual(expected);
  });

  test("plain text is passed on up to 300 characters, a page is not", () => {
    expect(words("the calendar is archived\n", "text/plain; charset=utf-8")).toBe("the calendar is archived");
    expect(words("x".repeat(301), "text/plain")).toBe(`${"x".repeat(300)}…`);
    expect(words("<html>Conflict</html>", "text/html")).toBeUndefined();
  });
});
