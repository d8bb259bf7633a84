import { type Command, Help } from "commander";
import { factsOf } from "../commands/command.js";
import { examplesSection, type HelpPage, termsSection, text } from "./page.js";

/** The help of a command: its own arguments, flags or commands, and its examples. */
export function commandPage(command: Command): HelpPage {
  const help = new Help();
  const terms = command.registeredArguments.map(
    (argument) => [help.argumentTerm(argument), help.argumentDescription(argument)] as const,
  );
  const flags = command.options.filter(({ hidden }) => !hidden);
  const commands = command.commands.map((each) => [each.name(), each.description()] as const);
  return [
    text(`Usage: ${help.commandUsage(command).replace("[options]", "[flags]")}`),
    text(command.description()),
    ...termsSection(
      "Arguments",
      terms.filter(([, meaning]) => meaning !== ""),
    ),
    ...termsSection("Commands", commands),
    ...termsSection(
      "Flags",
      flags.map((flag) => [flag.flags, help.optionDescription(flag)] as const),
    ),
    ...examplesSection(factsOf(command)?.examples() ?? []),
    text(
      command.commands.length === 0
        ? "Flags of every command: calctl help flags"
        : "More about a command: add --help to it. Flags of every command: calctl help flags",
    ),
  ];
}
