import type { Command } from "../../config/profile-values.js";
import { type CliError, configurationError } from "../../errors.js";
import { type ChildEnvironment, childEnvironment, runChildProcess } from "../../system/child-process.js";
import { checkToken, withoutFinalNewline } from "./token-text.js";

/** One run of a token command. */
export interface TokenCommandOptions {
  readonly command: Command;
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
  const [program, ...args] = options.command;
  const result = await runChildProcess({
    program,
    args,
    env: childEnvironment(env),
    input: null,
    stderr: "inherit",
    timeout: limit,
    maxOutput: OUTPUT_MAX,
    signal,
  });
  const fail = (what: string): CliError =>
    configurationError(`${source}: ${program} ${what}`, { hint: "try the command by itself" });
  switch (result.kind) {
    case "not_started":
      throw fail(`cannot be started (${result.code})`);
    case "timeout":
      throw fail(`printed no token within ${limit / 1000} seconds`);
    case "output_too_large":
      throw fail(`printed more than ${OUTPUT_MAX / 1024} KiB, which is no token`);
    case "exited":
      if (result.exitCode !== 0) throw fail(`ended with ${result.exitCode ?? "a signal"}`);
      return checkToken(readOutput(result.stdout), `${source}: the output of ${program}`);
  }
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
