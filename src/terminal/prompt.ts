import { foldCase } from "../../contract/comparable-text.js";
import { CliError, describeWithoutFlags } from "../errors.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { ChoiceText } from "./prompt-theme.js";
import type { Redactor } from "./redaction.js";
import type { SignalListeners } from "./signals.js";

/** The part of the process that prompts use. Its streams are not accessed before they are needed. */
export interface PromptProcess extends Pick<SignalListeners, "on" | "off"> {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  readonly stderr: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
}

/** One of several to choose from. */
export interface Choice<T> extends ChoiceText {
  readonly value: T;
}

interface TextOptions {
  /** The answer if nothing is typed. */
  readonly default?: string;
  /** Throws CliError usage for an answer that is wrong; its message is shown, and the question asked again. */
  readonly check?: (answer: string) => void | Promise<void>;
}

interface PasswordOptions {
  /** Asks for it twice, unless it is empty. */
  readonly repeat?: boolean;
  /** Called with the answer; what it throws is told, and the question asked again. @throws CliError */
  readonly check?: (answer: string) => Promise<void>;
}

export interface PromptDependencies {
  readonly signal: () => AbortSignal;
  /** Gets every password. */
  readonly redactor: Pick<Redactor, "add">;
  /** Whether stderr shows colors. */
  readonly color: () => boolean;
  /** Whether it shows more than ASCII. */
  readonly unicode: () => boolean;
}

const DEFAULT_COLUMNS = 80;
/** Choices shown at a time. */
const PAGE_SIZE = 10;

/** Asks the user. Every function throws CliError interrupted on Escape and Ctrl-C. */
export type Prompt = ReturnType<typeof createPrompt>;

/**
 * Prompts on the terminal. They are written to stderr, since stdout is for data.
 * @param allowed false with `--no-input`, CALCTL_NO_INPUT or CI
 */
export function createPrompt(process: PromptProcess, allowed: boolean, dependencies: PromptDependencies) {
  const columns = () => process.stderr.columns || DEFAULT_COLUMNS;
  const load = async () => {
    const { prompts, createTheme } = await import("./prompt-theme.js");
    const capabilities = { columns: columns(), unicode: dependencies.unicode(), color: dependencies.color() };
    return { prompts, ...(await createTheme(capabilities)) };
  };
  const ask = <T>(show: (streams: PromptStreams) => Promise<T>) =>
    askOnce(process, dependencies.signal(), show);
  const askPassword = async (question: string): Promise<string> => {
    const { prompts, theme } = await load();
    const message = sanitizeLine(question);
    const secret = await ask((streams) => prompts.password({ message, theme, toggleMask: false }, streams));
    dependencies.redactor.add(secret);
    return secret;
  };
  return {
    /** Whether stdin and stderr are terminals, and asking is allowed. */
    get available() {
      return allowed && process.stdin.isTTY === true && process.stderr.isTTY === true;
    },
    /** Columns of the terminal. */
    get columns() {
      return columns();
    },
    /** @param preset the answer if nothing is typed; no by default */
    async confirm(question: string, preset = false): Promise<boolean> {
      const { prompts, theme } = await load();
      const message = sanitizeLine(question);
      return ask((streams) => prompts.confirm({ message, default: preset, theme }, streams));
    },
    /** Enter is yes; the keys `e` and `n` answer without it, and others do nothing. */
    async confirmOrEdit(question: string): Promise<boolean | "e"> {
      const { prompts, theme } = await load();
      const message = `${sanitizeLine(question)} ${theme.style.help("(Enter, e to edit, n)")}`;
      const config = { message, transformer: () => "", theme };
      const show = (streams: PromptStreams) => prompts.input(config, streams).then(() => true);
      const answer = await askOnce(process, dependencies.signal(), show, ["e", "n"]);
      return answer === "n" ? false : answer;
    },
    /** Does not show what is typed. */
    async password(
      question: string,
      { repeat = false, check = async () => undefined }: PasswordOptions = {},
    ): Promise<string> {
      let message = question;
      for (;;) {
        const secret = await askPassword(message);
        const problem = await describeProblem(() => check(secret));
        if (problem !== true) {
          message = `${problem}. ${question}`;
          continue;
        }
        if (!repeat || secret === "" || (await askPassword("The same again")) === secret) return secret;
        message = `Not the same. ${question}`;
      }
    },
    async text(
      question: string,
      { default: preset, check = () => undefined }: TextOptions = {},
    ): Promise<string> {
      const { prompts, theme } = await load();
      const config = {
        message: sanitizeLine(question),
        ...(preset === undefined ? {} : { default: preset }),
        theme,
        validate: (answer: string) => describeProblem(async () => check(answer)),
      };
      return ask((streams) => prompts.input(config, streams));
    },
    /** A list that typing narrows down. @param preset the value to begin at; the first by default */
    async choose<T>(question: string, choices: readonly Choice<T>[], preset?: T): Promise<T> {
      const { prompts, theme, describeChoice } = await load();
      const lines = choices.map((choice, index) => ({
        ...describeChoice(choice),
        value: index,
        text: foldCase(`${choice.name} ${choice.description ?? ""}`),
      }));
      const start = choices.findIndex(({ value }) => value === preset);
      const config = {
        message: sanitizeLine(question),
        ...(start === -1 ? {} : { default: start }),
        pageSize: PAGE_SIZE,
        theme,
        source: (term = "") => lines.filter(({ text, name }) => matches(term, `${text} ${foldCase(name)}`)),
      };
      const index = await ask((streams) => prompts.search(config, streams));
      return chosen(choices, index);
    },
    /** @param preset the values that are chosen at first */
    async chooseSeveral<T>(
      question: string,
      choices: readonly Choice<T>[],
      preset: readonly T[] = [],
    ): Promise<readonly T[]> {
      const { prompts, theme, describeChoice } = await load();
      const lines = choices.map((choice, index) => ({
        ...describeChoice(choice),
        value: index,
        checked: preset.includes(choice.value),
      }));
      const config = {
        message: sanitizeLine(question),
        choices: lines,
        pageSize: PAGE_SIZE,
        loop: false,
        theme,
      };
      const indexes = await ask((streams) => prompts.checkbox(config, streams));
      return indexes.map((index) => chosen(choices, index));
    },
  };
}

interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/**
 * Shows one prompt, which Escape and Ctrl-C end, and shows it anew when the process was stopped and goes on.
 * @param answers keys that end it too, and are then the answer
 * @throws CliError interrupted, the signal's reason
 */
async function askOnce<T, K extends string = never>(
  process: PromptProcess,
  signal: AbortSignal,
  show: (streams: PromptStreams) => Promise<T>,
  answers: readonly K[] = [],
): Promise<T | K> {
  const [input, output] = [
    process.stdin as NodeJS.ReadableStream,
    process.stderr as unknown as NodeJS.WritableStream,
  ];
  const [escapeKey, given] = [new AbortController(), [] as K[]];
  const continued = new AbortController();
  // Node pauses stdin after Ctrl-Z, with which the program would end.
  const onContinue = (): void => void setImmediate(() => continued.abort());
  const onKey = (_text: unknown, key: { readonly name?: string } | undefined): void => {
    given.push(...answers.filter((answer) => answer === key?.name));
    if (key?.name === "escape" || given.length > 0) escapeKey.abort();
  };
  const stopListening = (): void => {
    input.off("keypress", onKey);
    process.off("SIGCONT", onContinue);
  };
  input.on("keypress", onKey);
  process.on("SIGCONT", onContinue);
  try {
    const signals = [signal, escapeKey.signal, continued.signal];
    return await show({ input, output, signal: AbortSignal.any(signals) });
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    stopListening();
    if (continued.signal.aborted) return await askOnce(process, signal, show, answers);
    if (given[0] !== undefined) return given[0];
    if (cause instanceof Error && ["ExitPromptError", "AbortPromptError"].includes(cause.name)) {
      throw new CliError("interrupted", "interrupted", { cause });
    }
    throw cause;
  } finally {
    stopListening();
  }
}

/** True, or what is wrong with an answer. */
async function describeProblem(check: () => Promise<void>): Promise<true | string> {
  try {
    await check();
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return describeWithoutFlags(error);
  }
}

/** Whether a line has every word that was typed. */
function matches(term: string, text: string): boolean {
  return foldCase(term)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function chosen<T>(choices: readonly Choice<T>[], index: number): T {
  const choice = choices[index];
  if (choice === undefined) throw new Error(`there is no choice ${index}`);
  return choice.value;
}
