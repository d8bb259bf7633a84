import { type Command, CommanderError } from "commander";
import type { GlobalFlags } from "../config/run-settings.js";
import { CliError, unexpectedError, usageError } from "../errors.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { Frame, Host } from "../run/run.js";
import { pathOf, type RunOf } from "./command.js";
import { COMMAND_NAMES, createProgram, loadCommandTree } from "./command-tree.js";
import type { FailedRun } from "./failure-report.js";
import { readGlobalFlags } from "./global-flags.js";
import type { HelpPage } from "./help/page.js";
import { suggestCommand } from "./suggestion.js";

/**
 * Runs one command line to its end.
 * @returns the exit code; nothing is thrown
 * @see docs/exit-codes.md
 */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  let flags: GlobalFlags = {};
  let exitCode: number;
  try {
    exitCode = await runProgram(argv, host, (parsed) => {
      flags = parsed;
    });
  } catch (error) {
    exitCode = await reportFailure(error, { host, flags });
  }
  try {
    await host.close();
  } catch (error) {
    // If the run failed, only its own error is reported.
    if (exitCode === 0) return await reportFailure(error, { host, flags });
  }
  return exitCode;
}

/**
 * Parses one command line and runs its command.
 * @param onFlags called with the global flags when they are parsed; if parsing fails, with those before the error
 * @returns the exit code
 * @throws CliError, usage when the command line is wrong
 */
async function runProgram(
  argv: readonly string[],
  host: Host,
  onFlags: (flags: GlobalFlags) => void,
): Promise<number> {
  let exitCode = 0;
  const written: string[] = [];
  const frame: Frame = {
    run,
    commandTree: loadCommandTree,
    setExitCode: (code) => {
      exitCode = code;
    },
  };
  const runOf: RunOf = async (command, options) => {
    const createRun = await host.loadRuns();
    const path = pathOf(command).split(" ").slice(1).join(" ");
    return createRun({ ...readGlobalFlags(command), ...options, command: path }, frame);
  };
  let parsing: Command | undefined;
  let helpOf: Command | undefined;
  const program = createProgram({
    runOf,
    write: (text) => written.push(text),
    onHelp: (command) => {
      helpOf = command;
    },
    printHelp: (words) => printHelp(words, host),
    onParsing: (command) => {
      parsing = command;
    },
  });
  try {
    await program.parseAsync(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) {
      const { parseError } = await import("./parse-error.js");
      throw await parseError(error, parsing ?? program, argv);
    }
  } finally {
    if (parsing !== undefined) onFlags(readGlobalFlags(parsing));
  }
  if (helpOf !== undefined) {
    const { commandPage } = await import("./help/command-page.js");
    written.push(await renderHelp(commandPage(helpOf), host));
  }
  await host.page(written.join(""));
  return exitCode;
}

/** `calctl help TOPIC`, or `calctl help COMMAND` as its `--help`. */
async function printHelp(words: readonly string[], host: Host): Promise<void> {
  const topic = await findTopic(words[0]);
  if (topic !== null) await host.page(await renderHelp(topic, host));
  // The flags beside `help` are the ones that count for an error.
  else await runProgram([...words, "--help"], host, () => undefined);
}

/** A page of help as wide as the terminal. */
async function renderHelp(page: HelpPage, { stdout }: Host): Promise<string> {
  const { renderHelpText } = await import("./help/page.js");
  return `${renderHelpText(page, stdout.columns)}\n`;
}

/**
 * The page of a topic; null for the name of a command, a flag or nothing.
 * @throws CliError usage for a word that is neither a topic nor a command
 */
async function findTopic(word = "-"): Promise<HelpPage | null> {
  if (word.startsWith("-")) return null;
  const { TOPICS } = await import("./help/topics.js");
  const topic = TOPICS.find(({ name }) => name === word);
  if (topic !== undefined) return topic.load();
  if (COMMAND_NAMES.includes(word)) return null;
  const topics = TOPICS.map(({ name }) => name);
  const suggestion = suggestCommand(word, [...COMMAND_NAMES, ...topics], true);
  throw usageError(
    `there is no command or help topic "${word}"`,
    suggestion === undefined ? `topics: ${topics.join(", ")}` : `did you mean calctl help ${suggestion}?`,
  );
}

/** Prints the error of a run: one sentence, or JSON with `-o json` and `ndjson`. @returns the exit code */
async function reportFailure(error: unknown, failed: FailedRun): Promise<number> {
  const known = error instanceof CliError ? error : unexpectedError(error);
  const text = await renderReport(known, failed);
  try {
    await failed.host.stderr.write(text);
  } catch {
    // stderr is closed: only the exit code can be reported.
  }
  return known.exitCode;
}

/** Falls back to the bare message when the report itself fails. */
async function renderReport(error: CliError, failed: FailedRun): Promise<string> {
  try {
    const { describeFailure } = await import("./failure-report.js");
    return await describeFailure(error, failed);
  } catch {
    return `error: ${sanitizeLine(error.message)}\n`;
  }
}
