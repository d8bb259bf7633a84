import { type Command, Help } from "commander";
import { pathOf } from "../command.js";
import { factsOf, flagTerms, ownFlags } from "../command-facts.js";
import { type Example, examplesSection, type HelpPage, termsSection, text } from "./page.js";
import { TOPICS } from "./topics.js";

/** The help of a command: how it is used, what it takes, and where to read on. */
export function commandPage(command: Command): HelpPage {
  return [
    text(`Usage: ${usageOf(command)}`),
    ...commandParts(command),
    ...termsSection("More", [
      ...(command.commands.length === 0
        ? []
        : [[`${pathOf(command)} COMMAND -h`, "help of a command"] as const]),
      ["calctl help flags", "the flags of every command"],
    ]),
  ];
}

/** `calctl events get [flags] [id...]`. */
export function usageOf(command: Command): string {
  return new Help().commandUsage(command).replace("[options]", "[flags]");
}

/** The description of a command, its own arguments, commands and flags, for the program its topics, and its examples. */
export function commandParts(command: Command): HelpPage {
  const help = new Help();
  const isProgram = command.parent === null;
  const terms = command.registeredArguments.map(
    (argument) => [help.argumentTerm(argument), help.argumentDescription(argument)] as const,
  );
  const headings = new Set(command.commands.map((each) => each.helpGroup()));
  const commands = [...headings].flatMap((heading) => {
    const group = command.commands.filter((each) => each.helpGroup() === heading);
    return termsSection(
      heading || "Commands",
      group.map((each) => [each.name(), each.description()]),
    );
  });
  return [
    text(command.description()),
    ...termsSection(
      "Arguments",
      terms.filter(([, meaning]) => meaning !== ""),
    ),
    ...commands,
    ...termsSection("Flags", flagTerms(ownFlags(command))),
    ...(isProgram
      ? termsSection(
          "Topics of calctl help",
          TOPICS.map(({ name, summary }) => [name, summary]),
        )
      : []),
    ...examplesSection(isProgram ? FIRST_STEPS : (factsOf(command)?.examples() ?? [])),
  ];
}

/** Examples of the program as a whole. */
export const FIRST_STEPS: readonly Example[] = [
  ["Create an event in the calendar on this machine", "calctl add -p local Lunch tomorrow 12:00 --yes"],
  ["The week of every calendar", "calctl agenda"],
];
