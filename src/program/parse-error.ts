import type { Command, CommanderError } from "commander";
import { missingArgumentError } from "../commands/command.js";
import { type CliError, usageError } from "../errors.js";
import { pathOf } from "../help/facts.js";
import { loadCommandTree } from "./command-tree.js";

/** Commander's error about a command line as a usage error, with a next step. @param command that was parsed */
export async function parseError({ code, message }: CommanderError, command: Command): Promise<CliError> {
  const [problem = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const path = pathOf(command);
  switch (code) {
    case "commander.unknownOption": {
      const [, flag = ""] = /'(.*)'/.exec(problem) ?? [];
      const meant = suggestion?.replace(/^\(Did you mean (.*)\?\)$/, "$1");
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
      return excessError(command, path);
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

/** Arguments that a command does not take: often text without quotes, or a command of `service`. */
async function excessError(command: Command, path: string): Promise<CliError> {
  const { args, registeredArguments } = command;
  const [first = ""] = args.slice(registeredArguments.length);
  const group = (await loadCommandTree()).commands.find((each) => each.name() === "service");
  const administration = group?.commands.find((each) => each.name() === command.name());
  const isAdministration =
    command.parent?.parent === null && administration?.commands.some((each) => each.name() === first);
  return usageError(
    `${path} does not take the argument "${first}"`,
    isAdministration === true
      ? `did you mean calctl service ${command.name()} ${first}?`
      : `put text with spaces in quotes; ${path} -h shows what it takes`,
  );
}
