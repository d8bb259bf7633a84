import { type Command, Help, type Option } from "commander";
import { type CommandFacts, type DescribedCommand, pathOf } from "../command.js";
import { collect } from "../global-flags.js";
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
    ...examplesSection("Examples", FIRST_STEPS.slice(0, 1)),
  ];
}

function furtherHelp(command: Command): readonly HelpTerm[] {
  if (command.parent === null)
    return [
      ["calctl help commands", "all commands; calctl COMMAND --help describes one"],
      ["calctl help TOPIC", "repeating, sharing, flags, environment or exit-codes"],
    ];
  const own = [`${pathOf(command)} COMMAND -h`, "help of a command"] as const;
  const global = ["calctl help flags", "the flags of every command"] as const;
  return command.commands.length === 0 ? [global] : [own, global];
}

/** `calctl events get [flags] [id...]`. */
export function usageOf(command: Command): string {
  return new Help().commandUsage(command).replace("[options]", "[flags]");
}

/** How many examples stand above the flags. */
const FIRST_EXAMPLES = 2;

/** The description of a command, its first examples, its own arguments, commands and flags, and further examples. */
export function commandParts(command: Command): HelpPage {
  const help = new Help();
  const examples = factsOf(command)?.examples() ?? [];
  const terms = command.registeredArguments.map(
    (argument) => [help.argumentTerm(argument), help.argumentDescription(argument)] as const,
  );
  return [
    text(sentence(command.description())),
    ...examplesSection("Examples", examples.slice(0, FIRST_EXAMPLES)),
    ...termsSection(
      "Arguments",
      terms.filter(([, meaning]) => meaning !== ""),
    ),
    ...termsSection(
      "Commands",
      command.commands.map((each) => [each.name(), each.description()]),
    ),
    ...flagSections(ownFlags(command)),
    ...examplesSection("More examples", examples.slice(FIRST_EXAMPLES)),
  ];
}

/** The flags under the headings of their groups, in the order in which the groups are declared. */
function flagSections(flags: readonly Option[]): HelpPage {
  const groups = [...new Set(flags.map(groupOf))];
  const terms = flagTerms(flags);
  return groups.flatMap((group) =>
    termsSection(
      group,
      terms.filter((_, index) => groupOf(flags[index]) === group),
    ),
  );
}

/** Flags without a group, as of commands with few flags, stand under one heading. */
function groupOf(flag: Option | undefined): string {
  return flag?.helpGroupHeading ?? "Flags";
}

/** A description, which lists show as it is, as a sentence of its own. */
function sentence(description: string): string {
  return `${description.charAt(0).toUpperCase()}${description.slice(1)}${description.endsWith(".") ? "" : "."}`;
}

/** Examples of the program as a whole. */
export const FIRST_STEPS: readonly Example[] = [
  ["Create an event in the calendar on this machine", "calctl add -p local Lunch tomorrow 12:00 --yes"],
  ["The week of every calendar", "calctl agenda"],
];

/** Null for a command without a description, such as a group. */
export function factsOf(command: DescribedCommand): CommandFacts | null {
  return command.facts ?? null;
}

/** The commands that do something: all but the groups, of which some do something by themselves, too. */
export function runnableCommands(command: Command): readonly Command[] {
  const below = command.commands.flatMap(runnableCommands);
  return command.commands.length === 0 || factsOf(command) !== null ? [command, ...below] : below;
}

/** The command of some words; undefined if there is none. */
export function findCommand(program: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>(
    (group, word) => group?.commands.find((command) => command.name() === word),
    program,
  );
}

/** A flag as it is declared. */
export interface FlagFacts {
  /** Without what the other members say. */
  readonly description: string;
  /** As help shows it, such as `seconds` or `1-7`; null for a switch. */
  readonly value: string | null;
  /** In words; null without one. */
  readonly default: string | null;
  /** Variables that set the same, the first of them first. */
  readonly environment: readonly string[];
  readonly choices: readonly string[] | null;
  readonly required: boolean;
  readonly repeatable: boolean;
}

/** The end of a description: `(default: 30; env: CALCTL_TIMEOUT)`, in either order. */
const NOTES = / \(((?:(?:default|env): [^();]*(?:; )?)+)\)$/;

/** Reads what a flag is from its declaration. */
export function readFlag({ flags, description, argChoices, parseArg }: Option): FlagFacts {
  const [, notes = ""] = NOTES.exec(description) ?? [];
  const note = (name: string) => new RegExp(`(?:^|; )${name}: ([^;]*)`).exec(notes)?.[1] ?? null;
  return {
    description: description.replace(NOTES, ""),
    value: /[<[](.*?)[>\]]$/.exec(flags)?.[1] ?? null,
    default: note("default"),
    environment: note("env")?.split(", ") ?? [],
    choices: argChoices ?? null,
    required: / \(required\)/.test(description),
    repeatable: parseArg === collect,
  };
}

/** Flags of a command that help shows, by group: not the global ones. */
export function ownFlags(command: Command): readonly Option[] {
  const flags = command.options.filter(({ hidden }) => !hidden);
  const groups = flags.map(groupOf);
  return flags.toSorted((one, other) => groups.indexOf(groupOf(one)) - groups.indexOf(groupOf(other)));
}

/** Flags and what they mean; the long ones stand below each other. */
export function flagTerms(flags: readonly Option[]): readonly HelpTerm[] {
  const help = new Help();
  const indent = flags.some(({ short }) => short !== undefined) ? "    " : "";
  return flags.map((flag) => [
    `${flag.short === undefined ? indent : ""}${flag.flags}`,
    help.optionDescription(flag),
  ]);
}
