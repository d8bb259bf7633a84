import { type Command, CommanderError } from "commander";
import type { GlobalFlags } from "../config/run-settings.js";
import { ListingRequest } from "../errors.js";
import type { CreateContext, Frame, Host, Run } from "../host/run.js";
import type { ContextOf } from "./command.js";
import { COMMAND_NAMES, createProgram, loadCommandTree } from "./command-tree.js";
import { readGlobalFlags } from "./global-flags.js";
import type { HelpPage } from "./help/page.js";
import { findTopic, HelpRequest } from "./help-request.js";

export interface ProgramOptions {
  /** Runs another command line, as the tour does. */
  readonly run: Run;
  /** Called with the global flags when they are parsed; if parsing fails, with those before the error. */
  readonly onFlags: (flags: GlobalFlags) => void;
}

/**
 * Parses one command line and runs its command.
 * @returns the exit code
 * @throws CliError, usage when the command line is wrong
 */
export async function runProgram(
  argv: readonly string[],
  host: Host,
  { run, onFlags }: ProgramOptions,
): Promise<number> {
  let exitCode = 0;
  const written: string[] = [];
  let createContext: CreateContext | undefined;
  const frame: Frame = {
    run,
    commandTree: loadCommandTree,
    setExitCode: (code) => {
      exitCode = code;
    },
  };
  const contextOf: ContextOf = (command, options) => {
    if (createContext === undefined) throw new Error("an action began before its context was loaded");
    const flags = readGlobalFlags(command);
    onFlags(flags);
    return createContext({ ...flags, ...options }, frame);
  };
  let parsing: Command | undefined;
  let helpOf: Command | undefined;
  const program = createProgram({
    contextOf,
    write: (text) => written.push(text),
    onHelp: (command) => {
      helpOf = command;
    },
    onParsing: (command) => {
      parsing = command;
    },
  });
  // Help needs no context.
  program.hook("preAction", async () => {
    createContext = await host.loadContexts();
  });
  try {
    await program.parseAsync(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  } catch (error) {
    if (parsing !== undefined) onFlags(readGlobalFlags(parsing));
    if (error instanceof HelpRequest) return await printHelp(error.words, host, run);
    if (error instanceof ListingRequest) {
      await host.stdout.write(error.lines.map((line) => `${line}\n`).join(""));
      return 0;
    }
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) {
      const { parseError } = await import("./parse-error.js");
      throw await parseError(error, parsing ?? program, argv);
    }
  }
  if (helpOf !== undefined) {
    const { commandPage } = await import("./help/command-page.js");
    written.push(await renderHelp(commandPage(helpOf), host));
  }
  await host.stdout.write(written.join(""));
  return exitCode;
}

/** `calctl help TOPIC`, or `calctl help COMMAND` as its `--help`. */
async function printHelp(words: readonly string[], host: Host, run: Run): Promise<number> {
  const topic = await findTopic(words[0], COMMAND_NAMES);
  // The flags beside `help` are the ones that count for an error.
  if (topic === null) return runProgram([...words, "--help"], host, { run, onFlags: () => undefined });
  await host.stdout.write(await renderHelp(topic, host));
  return 0;
}

/** A page of help as wide as the terminal. */
async function renderHelp(page: HelpPage, { stdout }: Host): Promise<string> {
  const { renderHelpText } = await import("./help/text.js");
  return `${renderHelpText(page, stdout.columns)}\n`;
}
