import { describe, expect, test } from "vitest";
import { checkText, parseCategory } from "../../src/events/patch.js";
import { failureOf } from "./fixtures.js";

describe("checkText", () => {
  test.each([
    ["a title of 50", { title: "x".repeat(50) }],
    ["a title of 50 emoji", { title: "🎉".repeat(50) }],
    ["a description of 10,000", { description: "x".repeat(10_000) }],
    ["a location of 100", { location: "x".repeat(100) }],
    ["a comment of 1,000", { comment: "x".repeat(1_000) }],
    ["an empty description and location", { description: "", location: "" }],
    ["nothing", {}],
  ])("accepts %s", (_, texts) => {
    expect(() => checkText(texts)).not.toThrow();
  });

  test.each([
    [{ title: "x".repeat(51) }, "--title is 51 characters long, at most 50 are allowed"],
    [{ title: "🎉".repeat(51) }, "--title is 51 characters long, at most 50 are allowed"],
    [
      { description: "x".repeat(10_001) },
      "--description is 10001 characters long, at most 10000 are allowed",
    ],
    [{ location: "x".repeat(101) }, "--location is 101 characters long, at most 100 are allowed"],
    [{ comment: "x".repeat(1_001) }, "the comment is 1001 characters long, at most 1000 are allowed"],
    [{ title: "" }, "--title is empty"],
    [{ title: " \t" }, "--title is blank"],
    [{ title: "\u200b\u00ad\u3164\u2800" }, "--title is blank"],
    [{ comment: "" }, "the comment is empty"],
  ])("rejects text beyond the limits: case %#", (texts, message) => {
    expect(failureOf(() => checkText(texts))).toMatchObject({ code: "usage", message });
  });

  test("names the field of an input object", () => {
    expect(failureOf(() => checkText({ title: "" }, "--input")).message).toBe("--input: title is empty");
  });
});

describe("parseCategory", () => {
  test.each(["schedule", "keep"])("accepts %s", (category) => {
    expect(parseCategory(category, "--category")).toBe(category);
  });

  test.each(["", "Keep", "memo"])("rejects %j", (text) => {
    expect(failureOf(() => parseCategory(text, "--category"))).toMatchObject({
      code: "usage",
      message: `--category: "${text}" is not a category`,
      hint: "write schedule or keep",
    });
  });
});
