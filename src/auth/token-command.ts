import { isAbsolute } from "node:path";
import { type CliError, configurationError } from "../errors.js";
import { type ChildEnvironment, childEnvironment } from "./child-environment.js";
import { runHelperProcess } from "./helper-process.js";
import { checkToken, withoutFinalNewline } from "./token-text.js";

export interface TokenCommandOptions {
  /** As configured: a JSON array of program and arguments, or the path of a program. */
  readonly command: string;
  /** As messages name it: `token_command of profile "work"`. */
  readonly source: string;
  readonly env: ChildEnvironment;
  readonly signal: AbortSignal;
  /** Longest time in milliseconds. */
  readonly limit?: number;
}

const LIMIT = 30_000;
const OUTPUT_MAX = 64 * 1024;

/**
 * The token that a program of the user's prints: alone, or as JSON in the member `token`. It runs without a shell and
 * without stdin; what it says on stderr is shown.
 * @throws CliError configuration whenever it gives no token; never skipped
 */
export async function runTokenCommand(options: TokenCommandOptions): Promise<string> {
  const { source, env, signal, limit = LIMIT } = options;
  const [program, ...args] = parseCommand(options.command, source);
  const result = await runHelperProcess({
    program,
    args,
    env: childEnvironment(env),
    input: null,
    stderr: "inherit",
    limit,
    outputMax: OUTPUT_MAX,
    signal,
  });
  const fail = (what: string): CliError =>
    configurationError(`${source}: ${program} ${what}`, { hint: "try the command by itself" });
  switch (result.kind) {
    case "not_started":
      throw fail(`cannot be started (${result.code})`);
    case "timeout":
      throw fail(`printed no token within ${limit / 1000} seconds`);
    case "too_much":
      throw fail(`printed more than ${OUTPUT_MAX / 1024} KiB, which is no token`);
    case "ended":
      if (result.exitCode !== 0) throw fail(`ended with ${result.exitCode ?? "a signal"}`);
      return checkToken(readOutput(result.stdout), `${source}: the output of ${program}`);
  }
}

/** A program by its name is looked for on PATH, else it is named from the root: the folder one stands in is nobody's. */
function parseCommand(command: string, source: string): readonly [string, ...string[]] {
  const [program, ...args] = command.trimStart().startsWith("[") ? parseArray(command, source) : [command];
  if (program === undefined || program === "") throw configurationError(`${source} names no program`);
  if (/[/\\]/.test(program) && !isAbsolute(program)) {
    throw configurationError(`${source}: "${program}" depends on the folder one stands in`, {
      hint: "write an absolute path, or the name of a program on PATH",
    });
  }
  return [program, ...args];
}

function parseArray(command: string, source: string): readonly string[] {
  try {
    const json: unknown = JSON.parse(command);
    if (Array.isArray(json) && json.every((part) => typeof part === "string")) return json;
  } catch {
    // The same sentence as for other JSON.
  }
  throw configurationError(`${source} is no JSON array of texts`, { hint: 'write ["PROGRAM","ARG"]' });
}

/** Programs made for several users of theirs print JSON. */
function readOutput(stdout: string): string {
  const text = withoutFinalNewline(stdout);
  if (!text.trimStart().startsWith("{")) return text;
  try {
    const { token } = JSON.parse(text) as { readonly token?: unknown };
    return typeof token === "string" ? token : "";
  } catch {
    // The parser's message would repeat the text.
    return "";
  }
}
