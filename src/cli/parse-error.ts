import type { Command, CommanderError } from "commander";
import { type CliError, usageError } from "../errors.js";
import { FORMATS } from "../output/view.js";
import { pathOf } from "./command.js";
import { loadCommandTree } from "./command-tree.js";
import { missingArgumentError } from "./missing-values.js";
import { isListWord, suggestCommand } from "./suggestion.js";

/**
 * Commander's error about a command line as a usage error, with a next step.
 * @param command that was parsed
 * @param argv the whole command line
 */
export async function parseError(
  { code, message }: CommanderError,
  command: Command,
  argv: readonly string[],
): Promise<CliError> {
  const { problem, suggestion } = readMessage(message);
  const path = pathOf(command);
  switch (code) {
    case "commander.unknownOption": {
      const [, flag = ""] = /'(.*)'/s.exec(problem) ?? [];
      const meant = formatFlag(flag, argv) ?? suggestion;
      // An argument may begin with `-`.
      const mayBeArgument = !/^--[a-z-]+$/.test(flag) && command.registeredArguments.length > 0;
      const next = mayBeArgument
        ? "write -- before an argument that begins with -"
        : `${path} -h lists its flags`;
      return usageError(
        `${path} has no flag ${flag}`,
        meant === undefined ? next : `did you mean ${meant.replace(/^one of /, "")}?`,
      );
    }
    case "commander.excessArguments":
      return excessError(command, path, argv);
    case "commander.missingArgument":
      return missingArgumentError(command);
    case "commander.optionMissingArgument": {
      const [, flag = ""] = /(--[^' ]+(?: <[^']*>)?)'/.exec(problem) ?? [];
      return usageError(`${flag.split(" ")[0]} needs a value`, `write ${flag}`);
    }
    case "commander.invalidArgument": {
      const [, flag, value, argument] =
        /^(?:option '(?:-\w, )?(--[^' ]+).*' argument|command-argument value) '(.*)' is invalid(?: for argument '(.*)')?\. /s.exec(
          problem,
        ) ?? [];
      const [, choices] = /Allowed choices are (.*)\.$/.exec(problem) ?? [];
      if (value === undefined || choices === undefined) return usageError(problem);
      return usageError(
        `${flag ?? argument?.toUpperCase()}: "${value}" is not one of its values`,
        `choose from ${choices}`,
      );
    }
    default:
      return usageError(problem);
  }
}

/** Commander's problem and suggestion are a line each, but for line breaks in an argument. */
function readMessage(message: string): { readonly problem: string; readonly suggestion?: string } {
  const [, problem = message, suggestion] =
    /^error: (.*?)(?:\n\(Did you mean (.*)\?\))?$/s.exec(message) ?? [];
  return { problem, ...(suggestion !== undefined && { suggestion }) };
}

/** Other tools have a flag for each format, such as `--json`, or `--format`. */
function formatFlag(flag: string, argv: readonly string[]): string | undefined {
  const [name = "", value = argv[argv.indexOf(flag) + 1]] = flag.split("=");
  const format = FORMATS.find((each) => name === `--${each}` || (name === "--format" && value === each));
  return format === undefined ? (name === "--format" ? "--output" : undefined) : `-o ${format}`;
}

/** Arguments that a command does not take: often text without quotes, a command of `service`, or a `list` too many. */
async function excessError(command: Command, path: string, argv: readonly string[]): Promise<CliError> {
  const [first = ""] = command.args.slice(command.registeredArguments.length);
  const isTop = command.parent?.parent === null;
  if (path === "calctl import")
    return usageError(`${path} takes one file, not also "${first}"`, "import them one after the other");
  const [method = ""] = command.args;
  if (path === "calctl api" && /^[A-Z]+$/.test(method))
    return usageError(
      `${path} does not take the argument "${first}"`,
      `did you mean ${path} ${first} -X ${method}?`,
    );
  const administration = isTop ? await administrationOf(command.name(), first) : undefined;
  const hint =
    isTop && isListWord(first)
      ? `did you mean ${path}?`
      : administration !== undefined
        ? `did you mean calctl service ${command.name()} ${administration}?`
        : `${followsText(first, command, argv) ? "put text with spaces in quotes; " : ""}${path} -h shows what it takes`;
  return usageError(`${path} does not take the argument "${first}"`, hint);
}

/** The command of `service` that a word names, also as other tools do. */
async function administrationOf(group: string, word: string): Promise<string | undefined> {
  const service = (await loadCommandTree()).commands.find((each) => each.name() === "service");
  const commands = service?.commands.find((each) => each.name() === group)?.commands ?? [];
  const names = commands.map((each) => each.name());
  return names.find((name) => name === word) ?? suggestCommand(word, names, false);
}

/** Whether the word may be the rest of a value or argument: it follows neither the command's name nor a switch. */
function followsText(word: string, command: Command, argv: readonly string[]): boolean {
  const previous = argv[argv.lastIndexOf(word) - 1] ?? "";
  return previous !== command.name() && !/^-[^=]*$/.test(previous);
}
