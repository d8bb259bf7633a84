import { CliError } from "../errors.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { Redactor } from "./redaction.js";

/** The part of the process that prompts use. Its streams are not accessed before they are needed. */
export interface PromptProcess {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  readonly stderr: { readonly isTTY?: boolean | undefined };
}

/** Asks the user. */
export interface Prompt {
  /** Whether stdin and stderr are terminals, and asking is allowed. */
  readonly available: boolean;
  confirm(question: string): Promise<boolean>;
  /** Does not show what is typed. */
  password(question: string): Promise<string>;
}

export interface PromptParts {
  readonly signal: () => AbortSignal;
  /** Gets every password. */
  readonly redactor: Pick<Redactor, "add">;
}

/**
 * Prompts on the terminal. They are written to stderr, since stdout is for data.
 * @param allowed false with `--no-input`, CALCTL_NO_INPUT or CI
 */
export function createPrompt(process: PromptProcess, allowed: boolean, parts: PromptParts): Prompt {
  const { signal, redactor } = parts;
  const streams = () => ({
    input: process.stdin as NodeJS.ReadableStream,
    output: process.stderr as NodeJS.WritableStream,
    signal: signal(),
  });
  return {
    get available() {
      return allowed && process.stdin.isTTY === true && process.stderr.isTTY === true;
    },
    async confirm(question) {
      const { confirm } = await import("@inquirer/prompts");
      return orInterrupted(confirm({ message: sanitizeLine(question), default: false }, streams()), signal());
    },
    async password(question) {
      const { password } = await import("@inquirer/prompts");
      const secret = await orInterrupted(password({ message: sanitizeLine(question) }, streams()), signal());
      redactor.add(secret);
      return secret;
    },
  };
}

/** The user's answer. @throws CliError interrupted on Ctrl-C */
async function orInterrupted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
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
