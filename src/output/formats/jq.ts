import { loadJq } from "jq-wasm";
import { CliError, usageError } from "../../errors.js";
import { escapeJson, sanitizeBlock } from "../sanitize.js";
import { jsonObject, type OutputProgram } from "../view.js";

/** The program follows as it is, even if it begins with `-`. Every result is JSON on one line. */
const FLAGS = ["--compact-output", "--"];

/** jq-wasm holds all results in memory until the program ends. */
const MAX_RESULTS = 500_000;

/**
 * `--jq`: a jq program over the JSON of the command. Strings come out raw, other values as compact JSON, one per line.
 * It has no files and an environment of its own.
 * @param block does work during which no signal can be handled, and drops what the library prints on the console
 * @param maxResults at most so many results are printed
 * @throws CliError usage with jq's message for a program that does not compile, or that needs too much memory for that
 * @see https://jqlang.org/manual/
 */
export async function createJqProgram(
  program: string,
  block: <T>(work: () => T) => T,
  maxResults = MAX_RESULTS,
): Promise<OutputProgram> {
  const jq = await loadJq();
  const run = (input: string, text = program) => {
    const { stdout, stderr, exitCode } = inBoundedMemory(() => block(() => jq.raw(input, text, FLAGS)));
    if (exitCode !== 0) throw usageError(`--jq: ${describeProblem(stderr)}`);
    return { stdout, stderr };
  };
  // Without input, the program is compiled but does not run.
  run("");
  // A comment at the end of the program may continue on the next line, but not on the one after.
  const bounded = `limit(${maxResults + 1}; ${program}\n\n)`;
  const renderJson: NonNullable<OutputProgram["renderJson"]> = (
    json,
    { capabilities: { isTerminal }, note },
  ) => {
    const { stdout, stderr } = run(JSON.stringify(json), bounded);
    for (const line of linesOf(stderr)) note(line);
    const lines = linesOf(stdout);
    const text = lines
      .slice(0, maxResults)
      .map((line) => `${line.startsWith('"') ? rawText(line, isTerminal) : jsonLine(line, isTerminal)}\n`)
      .join("");
    return lines.length > maxResults ? cutText(text, maxResults) : text;
  };
  return {
    check: () => undefined,
    render({ view, values, single, ...rendering }) {
      const objects = values.map((value) => jsonObject(view, value));
      return renderJson(single ? objects[0] : objects, rendering);
    },
    renderJson,
  };
}

/**
 * Runs jq, whose memory ends at 256 MiB. Then it cannot run again.
 * @throws CliError usage when that is not enough: WebAssembly's RuntimeError, or a stack that is too deep
 */
function inBoundedMemory<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Error) || !["RuntimeError", "RangeError"].includes(cause.name)) throw cause;
    throw new CliError("usage", "--jq: the program needs more than 256 MiB of memory", {
      hint: "build smaller values in the program, or pipe -o ndjson to jq",
      cause,
    });
  }
}

/** The text, then the error, which a reader that stops after the text never sees. */
function* cutText(text: string, maxResults: number): Generator<string> {
  yield text;
  throw usageError(
    `--jq: more than ${maxResults.toLocaleString("en-US")} results; the others were not printed`,
    "select fewer in the program, or pipe -o ndjson to jq",
  );
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}

function rawText(json: string, isTerminal: boolean): string {
  const text = String(JSON.parse(json));
  return isTerminal ? sanitizeBlock(text) : text;
}

function jsonLine(json: string, isTerminal: boolean): string {
  return isTerminal ? escapeJson(json) : json;
}

/** The first line, without what is the same every time. An error without a message is one of `halt_error`. */
function describeProblem(stderr: string): string {
  const [line = ""] = stderr.split("\n");
  const problem = line
    .replace(/^jq: error(?: \(at \S+\))?:? */, "")
    .replace(/ at <top-level>, (line \d+, column \d+):$/, " at $1");
  return problem === "" ? "the program ended with an error" : problem;
}
