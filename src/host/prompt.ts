import { isSwitchedOn } from "../config/environment.js";
import type { Prompt } from "../context.js";
import { CliError } from "../errors.js";

/** What is used of the process; its streams are touched when they are first needed. */
export interface PromptProcess {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  readonly stderr: { readonly isTTY?: boolean | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Questions on the terminal, through stderr: stdout is for data.
 * @param allowed false for `--no-input`
 */
export function createPrompt(process: PromptProcess, allowed: boolean, signal: () => AbortSignal): Prompt {
  const { env } = process;
  const forbidden = !allowed || isSwitchedOn(env["CALCTL_NO_INPUT"]) || isSwitchedOn(env["CI"]);
  const streams = () => ({
    input: process.stdin as NodeJS.ReadableStream,
    output: process.stderr as NodeJS.WritableStream,
    signal: signal(),
  });
  return {
    get available() {
      return !forbidden && process.stdin.isTTY === true && process.stderr.isTTY === true;
    },
    async confirm(question) {
      const { confirm } = await import("@inquirer/prompts");
      return asked(confirm({ message: question, default: false }, streams()), signal());
    },
    async password(question) {
      const { password } = await import("@inquirer/prompts");
      return asked(password({ message: question }, streams()), signal());
    },
  };
}

/** Ctrl-C at a question is an interruption like any other. */
async function asked<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof Error && ["ExitPromptError", "AbortPromptError"].includes(cause.name)) {
      throw new CliError("interrupted", "interrupted", { cause });
    }
    throw cause;
  }
}
