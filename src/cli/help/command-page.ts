import { type Command, Help } from "commander";
import { pathOf } from "../command.js";
import { factsOf, flagTerms, ownFlags } from "../command-facts.js";
import { type Example, examplesSection, type HelpPage, type HelpTerm, termsSection, text } from "./page.js";

/** The help of a command: how it is used, what it takes, and where to read on. */
export function commandPage(command: Command): HelpPage {
  const parts = command.parent === null ? programParts(command) : commandParts(command);
  return [text(`Usage: ${usageOf(command)}`), ...parts, ...termsSection("More", furtherHelp(command))];
}

/** What people use every day, on the first page of help. */
const EVERYDAY = ["agenda", "week", "next", "add", "events", "import", "undo", "post", "remind", "login"];

/** Fits a screen of 24 lines and 80 columns, with the prompt below it. */
function programParts(program: Command): HelpPage {
  return [
    text(program.description()),
    ...termsSection(
      "Everyday commands",
      program.commands
        .filter((command) => EVERYDAY.includes(command.name()))
        .map((command) => [command.name(), command.description()]),
    ),
    ...examplesSection(FIRST_STEPS.slice(0, 1)),
  ];
}

function furtherHelp(command: Command): readonly HelpTerm[] {
  if (command.parent === null)
    return [
      ["calctl help commands", "all commands; calctl COMMAND --help describes one"],
      ["calctl help flags", "global flags; also help environment, help exit-codes"],
    ];
  const own = [`${pathOf(command)} COMMAND -h`, "help of a command"] as const;
  const global = ["calctl help flags", "the flags of every command"] as const;
  return command.commands.length === 0 ? [global] : [own, global];
}

/** `calctl events get [flags] [id...]`. */
export function usageOf(command: Command): string {
  return new Help().commandUsage(command).replace("[options]", "[flags]");
}

/** The description of a command, its own arguments, commands and flags, and its examples. */
export function commandParts(command: Command): HelpPage {
  const help = new Help();
  const terms = command.registeredArguments.map(
    (argument) => [help.argumentTerm(argument), help.argumentDescription(argument)] as const,
  );
  return [
    text(command.description()),
    ...termsSection(
      "Arguments",
      terms.filter(([, meaning]) => meaning !== ""),
    ),
    ...termsSection(
      "Commands",
      command.commands.map((each) => [each.name(), each.description()]),
    ),
    ...termsSection("Flags", flagTerms(ownFlags(command))),
    ...examplesSection(factsOf(command)?.examples() ?? []),
  ];
}

/** Examples of the program as a whole. */
export const FIRST_STEPS: readonly Example[] = [
  ["Create an event in the calendar on this machine", "calctl add -p local Lunch tomorrow 12:00 --yes"],
  ["The week of every calendar", "calctl agenda"],
];
