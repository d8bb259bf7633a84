import { CliError } from "../errors.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { Redactor } from "./redaction.js";

/** What is used of the process; its streams are touched when they are first needed. */
export interface PromptProcess {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  readonly stderr: { readonly isTTY?: boolean | undefined };
}

/** Asking a person. Only where stdin and stderr are terminals and nothing forbids it. */
export interface Prompt {
  readonly available: boolean;
  confirm(question: string): Promise<boolean>;
  /** Reads without showing what is typed. */
  password(question: string): Promise<string>;
}

/** What belongs to the run. */
export interface PromptRun {
  readonly signal: () => AbortSignal;
  /** Learns what is typed unseen. */
  readonly redactor: Pick<Redactor, "add">;
}

/**
 * Questions on the terminal, through stderr: stdout is for data.
 * @param allowed false when `--no-input` or the environment forbids it
 */
export function createPrompt(process: PromptProcess, allowed: boolean, run: PromptRun): Prompt {
  const { signal, redactor } = run;
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
      return asked(confirm({ message: sanitizeLine(question), default: false }, streams()), signal());
    },
    async password(question) {
      const { password } = await import("@inquirer/prompts");
      const typed = await asked(password({ message: sanitizeLine(question) }, streams()), signal());
      redactor.add(typed);
      return typed;
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
