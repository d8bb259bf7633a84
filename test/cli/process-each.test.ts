import { describe, expect, test } from "vitest";
import { processEach } from "../../src/cli/items.js";
import { CliError, type ErrorCode } from "../../src/errors.js";

/** Work that the test completes. */
function createWork() {
  const begun: string[] = [];
  const open = new Map<string, { resolve: (result: string) => void; reject: (error: unknown) => void }>();
  const warnings: string[] = [];
  const options = {
    noun: "calendar",
    verb: "read",
    name: (item: string) => item,
    warn: (text: string) => warnings.push(text),
    work: (item: string) => {
      begun.push(item);
      return new Promise<string>((resolve, reject) => open.set(item, { resolve, reject }));
    },
  };
  const settle = async (item: string, error?: unknown): Promise<void> => {
    if (error === undefined) open.get(item)?.resolve(item.toUpperCase());
    else open.get(item)?.reject(error);
    // Lets the code that waits for it continue first.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, warnings, options, settle };
}

const failure = (code: ErrorCode) => new CliError(code, `it is ${code}`);
const ITEMS = ["a", "b", "c", "d", "e", "f"];

describe("several items", () => {
  test("are processed four at a time, with results in order", async () => {
    const { begun, options, settle } = createWork();
    const collected = processEach(ITEMS, options);
    expect(begun).toEqual(["a", "b", "c", "d"]);
    await settle("c");
    expect(begun).toEqual(["a", "b", "c", "d", "e"]);
    for (const item of ["e", "d", "f", "b", "a", "f"]) await settle(item);
    const { results, reportFailures } = await collected;
    expect(results).toEqual(["A", "B", "C", "D", "E", "F"]);
    expect(reportFailures).not.toThrow();
  });

  test("are processed one at a time with a concurrency of 1", async () => {
    const { begun, options, settle } = createWork();
    const collected = processEach(["a", "b"], { ...options, concurrency: 1 });
    expect(begun).toEqual(["a"]);
    await settle("a");
    expect(begun).toEqual(["a", "b"]);
    await settle("b");
    expect((await collected).results).toEqual(["A", "B"]);
  });

  test("a failed one is reported, and the others have results", async () => {
    const { options, settle, warnings } = createWork();
    const collected = processEach(["a", "b", "c"], options);
    await settle("b", failure("forbidden"));
    await settle("a");
    await settle("c");
    const { results, reportFailures } = await collected;
    expect(results).toEqual(["A", "C"]);
    expect(reportFailures).toThrow(
      expect.objectContaining({ code: "partial", message: "2 of 3 calendars read, not: b" }),
    );
    expect(warnings).toEqual(["calendar b could not be read: it is forbidden"]);
  });

  test.each(["not_signed_in", "rate_limited", "configuration"] as const)(
    "%s would affect the others too: they are not started, but reported",
    async (code) => {
      const { begun, options, settle, warnings } = createWork();
      const collected = processEach(ITEMS, options);
      await settle("a");
      await settle("b", failure(code));
      for (const item of ["c", "d", "e"]) await settle(item);
      const { results, reportFailures } = await collected;
      expect(begun).toEqual(["a", "b", "c", "d", "e"]);
      expect(results).toEqual(["A", "C", "D", "E"]);
      expect(reportFailures).toThrow(expect.objectContaining({ code: "partial" }));
      expect(warnings).toEqual([`calendar b could not be read: it is ${code}`, "calendars not tried: f"]);
    },
  );

  test("items that were not started have the message and code of the shared failure, not of another one", async () => {
    const { begun, options, settle } = createWork();
    const collected = processEach(["a", "b", "c"], { ...options, concurrency: 1 });
    await settle("a", failure("not_found"));
    await settle("b", failure("rate_limited"));
    const { reportFailures } = await collected;
    expect(begun).toEqual(["a", "b"]);
    const failed = [
      { id: "a", code: "not_found", message: "it is not_found" },
      { id: "b", code: "rate_limited", message: "it is rate_limited" },
      { id: "c", code: "rate_limited", message: "not tried: it is rate_limited" },
    ];
    expect(reportFailures).toThrow(expect.objectContaining({ code: "not_found", details: { failed } }));
  });

  test("when none succeeded, the first failure is thrown", async () => {
    const { options, settle } = createWork();
    const collected = processEach(["a", "b"], options);
    await settle("b", failure("forbidden"));
    await settle("a", failure("unavailable"));
    const { results, reportFailures } = await collected;
    expect(results).toEqual([]);
    expect(reportFailures).toThrow(
      expect.objectContaining({
        code: "unavailable",
        message: "none of 2 calendars was read: it is unavailable",
      }),
    );
  });

  test.each([failure("interrupted"), new TypeError("a bug")])(
    "%s stops the processing, and earlier results are kept",
    async (error) => {
      const { begun, options, settle, warnings } = createWork();
      const collected = processEach(ITEMS, options);
      await settle("a");
      await settle("b", error);
      for (const item of ["c", "d", "e"]) await settle(item);
      const { results, reportFailures } = await collected;
      expect(begun).not.toContain("f");
      expect(results).toEqual(["A", "C", "D", "E"]);
      expect(reportFailures).toThrow(expect.objectContaining({ name: error.name, message: error.message }));
      expect(warnings).toEqual([
        "4 of 6 calendars read: a, c, d, e",
        `calendar b could not be read: ${error.message}`,
        "calendars not tried: f",
      ]);
    },
  );

  test("an unexpected error fails only its item where that is asked for", async () => {
    const { options, settle, warnings } = createWork();
    const collected = processEach(["a", "b", "c"], { ...options, concurrency: 1, onUnexpected: "fail" });
    await settle("a");
    await settle("b", new TypeError("a bug"));
    await settle("c");
    const { results, reportFailures } = await collected;
    expect(results).toEqual(["A", "C"]);
    const failed = [{ id: "b", code: "failed", message: "unexpected error: a bug" }];
    expect(reportFailures).toThrow(expect.objectContaining({ code: "partial", details: { failed } }));
    expect(warnings).toEqual(["calendar b could not be read: unexpected error: a bug"]);
  });

  test("the reason of each has what the service said by field", async () => {
    const { options, settle, warnings } = createWork();
    const collected = processEach(["a", "b", "c"], options);
    const message = "the service refused the request (400)";
    const details = { url: ["must be at most 2000 characters"], title: ["must not be blank"] };
    await settle("a", new CliError("rejected", message, { details }));
    await settle("b");
    await settle("c", new CliError("rejected", message, { details: { candidates: [{ id: "1" }] } }));
    const reason = `${message}: url: must be at most 2000 characters; title: must not be blank`;
    const failed = [
      { id: "a", code: "rejected", message: reason },
      { id: "c", code: "rejected", message },
    ];
    expect((await collected).reportFailures).toThrow(expect.objectContaining({ details: { failed } }));
    expect(warnings).toEqual([
      `calendar a could not be read: ${reason}`,
      `calendar c could not be read: ${message}`,
    ]);
  });

  test("where the only item has an unexpected error, its report says how to see where", async () => {
    const { options, settle } = createWork();
    const bug = new TypeError("a bug");
    const collected = processEach(["a"], { ...options, onUnexpected: "fail" });
    await settle("a", bug);
    expect((await collected).reportFailures).toThrow(
      expect.objectContaining({
        code: "failed",
        hint: "this is a bug in calctl; --debug shows where",
        cause: bug,
      }),
    );
  });

  test("an interrupted write reports what was done, what may have been, and what was not started", async () => {
    const { options, settle, warnings } = createWork();
    const collected = processEach(["a", "b", "c"], { ...options, verb: "deleted", concurrency: 1 });
    await settle("a");
    const reason = new CliError("interrupted", "terminated", {
      exitCode: 143,
      hint: "look",
      mayHaveSucceeded: true,
    });
    await settle("b", reason);
    const { results, reportFailures } = await collected;
    expect(results).toEqual(["A"]);
    const failed = [
      { id: "b", code: "outcome_unknown", message: "it is unknown whether it was deleted" },
      { id: "c", code: "interrupted", message: "not tried: terminated" },
    ];
    expect(reportFailures).toThrow(
      expect.objectContaining({ code: "interrupted", exitCode: 143, hint: "look", details: { failed } }),
    );
    expect(warnings).toEqual([
      "1 of 3 calendars deleted: a",
      "calendar b: it is unknown whether it was deleted",
      "calendars not tried: c",
    ]);
  });

  test("a single one that is interrupted reports only that", async () => {
    const { options, settle, warnings } = createWork();
    const collected = processEach(["a"], options);
    const reason = failure("interrupted");
    await settle("a", reason);
    expect((await collected).reportFailures).toThrow(reason);
    expect(warnings).toEqual([]);
  });
});
