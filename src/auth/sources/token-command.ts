import { isJsonObject, parseJson } from "../../../contract/json.js";
import { childEnvironment, type Environment } from "../../config/environment.js";
import type { Command } from "../../config/profile-values.js";
import { type CliError, configurationError, fileProblemOf } from "../../errors.js";
import { checkToken, withoutFinalNewline } from "../../secrets/environment-secret.js";
import { batchFileHint, runChildProcess } from "../../system/child-process.js";

export interface TokenCommandOptions {
  readonly command: Command;
  /** For messages, such as `token_command of profile "work"`. */
  readonly source: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** In milliseconds; 30 seconds by default. */
  readonly timeout?: number;
}

const TIMEOUT = 30_000;
const MAX_OUTPUT = 64 * 1024;

/**
 * Runs a program that prints a token, either only the token or JSON with a member `token`. It gets no shell and no
 * stdin; its stderr goes to the terminal.
 * @throws CliError configuration without a valid token
 */
export async function runTokenCommand(options: TokenCommandOptions): Promise<string> {
  const { source, env, signal, timeout = TIMEOUT } = options;
  const [program, ...args] = options.command;
  const result = await runChildProcess({
    program,
    args,
    env: childEnvironment(env),
    input: null,
    stderr: "inherit",
    timeout,
    maxOutput: MAX_OUTPUT,
    signal,
  });
  const fail = (problem: string, hint = "run the command yourself to see what is wrong"): CliError =>
    configurationError(`${source}: ${program} ${problem}`, { hint });
  switch (result.kind) {
    case "not_started":
      throw fail(`could not be started: ${fileProblemOf(result)}`, batchFileHint(program, result.code));
    case "timeout":
      throw fail(`printed no token in ${timeout / 1000} seconds`);
    case "output_too_large":
      throw fail(`printed more than ${MAX_OUTPUT / 1024} KiB, too much for a token`);
    case "exited":
      if (result.exitCode !== 0) throw fail(`ended with ${result.exitCode ?? "a signal"}`);
      return checkToken(readOutput(result.stdout), `${source}: the output of ${program}`);
  }
}

/** The token in plain text or JSON; "" when the JSON has none. */
function readOutput(stdout: string): string {
  const text = withoutFinalNewline(stdout);
  if (!text.trimStart().startsWith("{")) return text;
  const json = parseJson(text);
  return isJsonObject(json) && typeof json["token"] === "string" ? json["token"] : "";
}
