import type { Harness, RunOptions } from "../../support/harness.js";

/** What a call gave: `result` is its `structuredContent` or, with an error, the JSON of its text. */
export interface CallResult {
  readonly structuredContent?: Result;
  readonly result: Result & { readonly error?: Readonly<Record<string, unknown>> };
  readonly isError?: true;
}

interface Result {
  readonly notice: string;
  readonly data: unknown;
  readonly notes: readonly string[];
}

export interface Call {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** Messages as lines of stdin, and what `calctl mcp` answers. It must end well, and say nothing else. */
export async function exchange(
  { runWith }: Pick<Harness, "runWith">,
  argv: readonly string[],
  messages: readonly (object | string)[],
  options: RunOptions = {},
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const lines = messages.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  const stdin = lines.map((line) => `${line}\n`).join("");
  const { exitCode, stdout, stderr } = await runWith({ ...options, stdin }, "mcp", ...argv);
  if (exitCode !== 0 || stderr !== "") throw new Error(`it ended with ${exitCode}: ${stderr}`);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** The results of some calls. */
export async function callAll(
  harness: Pick<Harness, "runWith">,
  argv: readonly string[],
  calls: readonly Call[],
): Promise<readonly CallResult[]> {
  const messages = calls.map((params, id) => ({ jsonrpc: "2.0", id, method: "tools/call", params }));
  const answers = await exchange(harness, argv, messages);
  return answers.map(({ result, error }) => {
    if (error !== undefined) throw new Error(JSON.stringify(error));
    const { content, ...others } = result as Omit<CallResult, "result"> & {
      readonly content: readonly { readonly text: string }[];
    };
    return { ...others, result: others.structuredContent ?? JSON.parse(content[0]?.text ?? "") };
  });
}
