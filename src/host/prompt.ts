import { isSwitchedOn } from "../config/environment.js";
import type { Prompt } from "../context.js";
import { CliError } from "../errors.js";

export interface PromptOptions {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  readonly stderr: { readonly isTTY?: boolean | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False for `--no-input`. */
  readonly allowed: boolean;
  readonly signal: () => AbortSignal;
}

/** Questions on the terminal, through stderr: stdout is for data. */
export function createPrompt({ stdin, stderr, env, allowed, signal }: PromptOptions): Prompt {
  const forbidden = !allowed || isSwitchedOn(env["CALCTL_NO_INPUT"]) || isSwitchedOn(env["CI"]);
  const streams = () => ({
    input: stdin as NodeJS.ReadableStream,
    output: stderr as NodeJS.WritableStream,
    signal: signal(),
  });
  return {
    available: !forbidden && stdin.isTTY === true && stderr.isTTY === true,
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
