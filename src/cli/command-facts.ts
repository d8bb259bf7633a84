import { type Command, Help, type Option } from "commander";
import type { CommandFacts, DescribedCommand } from "./command.js";
import { collect } from "./global-flags.js";
import type { HelpTerm } from "./help/page.js";

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

/** Flags of a command that help shows: not the global ones. */
export function ownFlags(command: Command): readonly Option[] {
  return command.options.filter(({ hidden }) => !hidden);
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
