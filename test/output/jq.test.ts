import { expect, test, vi } from "vitest";
import { createJqProgram } from "../../src/output/formats/jq.js";
import { createOutput, type OutputTarget } from "../../src/output/output.js";
import { requestView } from "../../src/output/views/plain.js";
import { createHarness } from "../support/harness.js";
import { VIEWER } from "./rendered.js";

/** The output of a program that may print three results, to a reader that may leave after the first piece. */
async function printed(text: string, { leaves = false } = {}): Promise<string> {
  let written = "";
  const target: OutputTarget = {
    isTerminal: false,
    get isClosed() {
      return leaves && written !== "";
    },
    columns: undefined,
    color: false,
    hyperlinks: async () => false,
    unicode: true,
    write: async (piece) => {
      written += piece;
    },
  };
  const program = await createJqProgram(text, (work) => work(), 3);
  const options = { format: null, fields: undefined, csvSafe: false, ...VIEWER, program };
  await createOutput(requestView, options, target)
    .print({ method: "GET", path: "/", query: {}, body: null })
    .catch((error: Error) => {
      written += error.message;
    });
  return written;
}

test("a program with more results than are printed fails after the last one", async () => {
  expect(await printed("range(1e9)")).toBe("0\n1\n2\n--jq: more than 3 results; the others were not printed");
  expect(await printed("range(3)")).toBe("0\n1\n2\n");
});

test("it does not fail for a reader that has enough", async () => {
  expect(await printed("range(1e9)", { leaves: true })).toBe("0\n1\n2\n");
});

// test/long/large-output.test.ts has a list.
test("nesting that does not fit into the memory of jq is an error of usage", async () => {
  // jq computes a constant when it compiles the program.
  const problem = await printed("reduce range(1e5) as $depth (null; [.])").catch(
    (error: Error) => error.message,
  );
  expect(problem).toBe("--jq: the program needs more than 256 MiB of memory");
});

test("nothing but the error is printed about the memory of jq", async () => {
  const printedByLibrary = vi.spyOn(console, "error");
  const harness = await createHarness();
  expect(await harness.run("calendars", "--jq", '"x" * 1e9')).toEqual({
    exitCode: 2,
    stdout: "",
    stderr:
      "error: --jq: the program needs more than 256 MiB of memory\n" +
      "hint: build smaller values in the program, or pipe -o ndjson to jq\n",
  });
  expect(printedByLibrary).not.toHaveBeenCalled();
});

test.each([
  ["a comment at its end", "1, 2 # three"],
  ["a comment that goes on in the next line", "1, 2 # \\"],
  ["definitions and variables", "def f($a): $a; f(1) as $one | $one, 2"],
])("%s is part of the program", async (_, program) => {
  expect(await printed(program)).toBe("1\n2\n");
});
