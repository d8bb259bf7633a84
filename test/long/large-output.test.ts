import { expect, test } from "vitest";
import { labelView } from "../../src/output/views/calendar.js";
import { WORK_LABEL } from "../output/fixtures.js";
import { rendered } from "../output/rendered.js";
import { createHarness } from "../support/harness.js";

/** Output that is large, or does not fit. */

test("a table may have more rows than a call takes arguments", async () => {
  const labels = Array<typeof WORK_LABEL>(150_000).fill(WORK_LABEL);
  const rows = (await rendered(labelView, labels, { columns: 80 })).split("\n");
  // A header, and the end of the last line.
  expect(rows).toHaveLength(150_002);
});

test("a list that does not fit into the memory of jq is an error of usage", async () => {
  const { run } = await createHarness();
  const { exitCode, stderr } = await run("calendars", "--jq", '[limit(5e7; repeat("a"))]');
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("--jq: the program needs more than 256 MiB of memory"),
  });
});
