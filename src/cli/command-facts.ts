import { type Command, Help, type Option } from "commander";
import type { Shape } from "../output/shape.js";
import type { Format } from "../output/view.js";
import { collect } from "./global-flags.js";
import type { Example, HelpTerm } from "./help/page.js";

/** What help and `calctl schema` say about a command beyond its arguments and flags. */
export interface CommandFacts {
  /** Two or three. Called only when they are shown. */
  readonly examples: () => readonly Example[];
  /** What it prints; absent when it prints no data. */
  readonly prints?: PrintedValue | "json" | "text";
}

/** What a command prints in its formats. */
export interface PrintedValue {
  readonly view: PrintedView;
  /** By default those of the view. */
  readonly formats?: readonly Format[];
  /** Whether that is one value, a list, or either, depending on the arguments. */
  readonly count: "one" | "list" | "one or list";
  /** Whether only some of the keys are printed, depending on the arguments. */
  readonly partial?: boolean;
}

/** The part of a view that does not depend on the type of its values. */
interface PrintedView extends Shape {
  /** Absent where there is no such format. */
  readonly tsv?: readonly string[];
  readonly formats?: { readonly [F in Format]?: unknown };
}

interface DescribedCommand extends Command {
  readonly facts?: CommandFacts;
}

/** Adds what help and `calctl schema` say about a command. */
export function describeCommand(command: Command, facts: CommandFacts): Command {
  return Object.assign(command, { facts });
}

/** Null for a command without a description, such as a group. */
export function factsOf(command: DescribedCommand): CommandFacts | null {
  return command.facts ?? null;
}

/** `calctl events list`, from the top. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The commands that do something: all but the groups. */
export function runnableCommands(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(runnableCommands);
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
