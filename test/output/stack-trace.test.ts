import { expect, test } from "vitest";
import { stackTrace } from "../../src/output/error-report.js";

test("a stack is the message on one line and its frames, followed by its causes", () => {
  const cause = new TypeError("inner\u001b[2J");
  const trace = stackTrace(new Error("outer\nhint: run this", { cause }));
  const lines = trace.split("\n");
  expect(lines[0]).toBe("Error: outer\\nhint: run this");
  expect(lines[1]).toMatch(/^ {4}at .*stack-trace\.test\.ts/);
  expect(lines).toContain("caused by: TypeError: inner\\x1b[2J");
});

test.each([
  ["that is empty", new RangeError("")],
  ["that was changed later", Object.assign(new RangeError("as it was"), { message: "" })],
  ["of which the stack knows nothing", Object.assign(new RangeError(""), { message: "new" })],
])("a message %s is printed once", (_, error) => {
  const [first, second] = stackTrace(error).split("\n");
  expect(first).toBe(`RangeError: ${error.message}`);
  expect(second).toMatch(/^ {4}at .*stack-trace\.test\.ts/);
});

test("circular causes end", () => {
  const error = new Error("round");
  error.cause = error;
  expect(stackTrace(error).split("caused by: ")).toHaveLength(10);
});

test("a thrown value that is not an error is printed as text", () => {
  expect(stackTrace("a\nb")).toBe("a\\nb");
  expect(stackTrace(new Error("x".repeat(1_000_000))).length).toBeLessThan(150_000);
});
