import type { Command, Option } from "commander";
import { readFlag } from "../help/command-page.js";
import { TOPICS } from "../help/topics.js";

/** A command as completion needs it: plain data, which the build writes into the program. */
interface CommandNode {
  readonly name: string;
  readonly summary: string;
  /** Without the global flags, which the root has. */
  readonly flags: readonly Flag[];
  readonly arguments: readonly Argument[];
  readonly commands: readonly CommandNode[];
}

export interface Flag {
  /** `--calendar` */
  readonly long: string;
  /** `-c`; null without one. */
  readonly short: string | null;
  readonly summary: string;
  /** `id|name` of `<id|name>`; null for a switch. */
  readonly value: string | null;
  /** Whether the value may be left out; it is then only taken after `=`. */
  readonly optional: boolean;
  readonly repeatable: boolean;
  readonly choices: readonly string[];
  /** Whether only this command has it, not those below it. */
  readonly own: boolean;
}

interface Argument {
  readonly name: string;
  readonly variadic: boolean;
  readonly choices: readonly string[];
}

/** The program, and what `calctl help` knows besides its commands. */
export interface CommandTree extends CommandNode {
  readonly topics: readonly Pick<CommandNode, "name" | "summary">[];
}

/** The whole tree below the program, whose commands are registered. */
export function describeTree(root: Command): CommandTree {
  const isInherited = ({ long }: Option) =>
    root.commands.every((command) => command.options.some((option) => option.long === long));
  const globals = new Set(root.options.filter(isInherited).map(({ long }) => long));
  const describe = (command: Command): CommandNode => ({
    name: command.name(),
    summary: command.description(),
    flags: [
      ...command.options
        .filter(({ long }) => command === root || !globals.has(long))
        .map((option) => describeFlag(option, command !== root || !globals.has(option.long))),
      ...(command === root ? [HELP] : []),
    ],
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      variadic: argument.variadic,
      choices: argument.argChoices ?? [],
    })),
    commands: command.commands.map(describe),
  });
  const topics = TOPICS.map(({ name, summary }) => ({ name, summary }));
  return { ...describe(root), topics };
}

/** Commander's own, which is not among the options. */
const HELP: Flag = {
  long: "--help",
  short: "-h",
  summary: "show help",
  value: null,
  optional: false,
  repeatable: true,
  choices: [],
  own: false,
};

function describeFlag(option: Option, own: boolean): Flag {
  const { description, value, choices, repeatable } = readFlag(option);
  return {
    long: option.long ?? option.flags,
    short: option.short ?? null,
    summary: description,
    value,
    optional: option.optional,
    repeatable,
    choices: choices ?? [],
    own,
  };
}

/** What a command line asks for at the cursor. */
export interface Position {
  /** Names of the commands so far, without that of the program. */
  readonly path: readonly string[];
  readonly command: CommandNode;
  /** Whether it is the help of a command that is asked for: `calctl help …`. */
  readonly isHelp: boolean;
  readonly target: Target;
  /** The values of flags so far, by long name; of a switch an empty text. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  /** The arguments so far. */
  readonly args: readonly string[];
  /** What of the word at the cursor stays as it is: `--calendar=`, `-c`; else empty. */
  readonly prefix: string;
  /** The beginning of what is completed. */
  readonly typed: string;
}

type Target =
  | { readonly kind: "command" }
  | { readonly kind: "flag"; readonly flags: readonly Flag[] }
  | { readonly kind: "value"; readonly flag: Flag }
  | { readonly kind: "argument"; readonly index: number };

/** Reads the words after the name of the program, of which the last ends at the cursor. */
export function readCommandLine(root: CommandNode, words: readonly string[]): Position {
  const line = createLine(root);
  for (const word of words.slice(0, -1)) line.add(word);
  return line.end(words.at(-1) ?? "");
}

function createLine(root: CommandNode) {
  let command = root;
  const path: string[] = [];
  const args: string[] = [];
  const given = new Map<string, string[]>();
  let pending: Flag | undefined;
  let endsFlags = false;
  let isHelp = false;
  const flags = (): readonly Flag[] => [
    ...command.flags,
    ...(command === root ? [] : root.flags.filter(({ own }) => !own)),
  ];
  const give = (flag: Flag, value: string): void => {
    given.set(flag.long, [...(given.get(flag.long) ?? []), value]);
  };
  const addArgument = (word: string): void => {
    const next = command.commands.find(({ name }) => name === word);
    if (word === "help" && command === root && !isHelp) {
      isHelp = true;
      return;
    }
    if (next === undefined || args.length > 0) {
      args.push(word);
      return;
    }
    command = next;
    path.push(word);
  };
  const addFlags = (word: string): void => {
    const attached = splitFlag(word, flags());
    if (attached !== undefined) give(attached.flag, attached.value);
    else
      for (const flag of flagsOf(word, flags())) {
        if (flag.value !== null && !flag.optional) pending = flag;
        else give(flag, "");
      }
  };
  return {
    add(word: string): void {
      if (pending !== undefined) {
        give(pending, word);
        pending = undefined;
      } else if (word === "--") endsFlags = true;
      else if (endsFlags || !/^-./.test(word)) addArgument(word);
      else addFlags(word);
    },
    end(word: string): Position {
      const position = { path, command, isHelp, given, args };
      if (pending !== undefined)
        return { ...position, target: { kind: "value", flag: pending }, prefix: "", typed: word };
      const attached = endsFlags ? undefined : splitFlag(word, flags());
      if (attached !== undefined) {
        const { flag, value } = attached;
        const prefix = word.slice(0, word.length - value.length);
        return { ...position, target: { kind: "value", flag }, prefix, typed: value };
      }
      const isFree = ({ long, repeatable }: Flag) => repeatable || !given.has(long);
      const target: Target =
        !endsFlags && word.startsWith("-")
          ? { kind: "flag", flags: flags().filter(isFree) }
          : command.commands.length > 0
            ? { kind: "command" }
            : { kind: "argument", index: args.length };
      return { ...position, target, prefix: "", typed: word };
    },
  };
}

/** A flag with its value in the same word: `--calendar=Work`, `-c=Work`, `-cWork`. */
function splitFlag(word: string, flags: readonly Flag[]): { flag: Flag; value: string } | undefined {
  const [, name, value] =
    /^(--[^=]*)=(.*)$/s.exec(word) ?? /^(-[^-])=?(.+)$/s.exec(word) ?? /^(-[^-])=()$/.exec(word) ?? [];
  const flag = flags.find((each) => each.value !== null && (each.long === name || each.short === name));
  return flag === undefined || value === undefined ? undefined : { flag, value };
}

/** The flags of a word without a value: `--mine`, `-c`, `-qv`. */
function flagsOf(word: string, flags: readonly Flag[]): readonly Flag[] {
  if (word.startsWith("--")) return flags.filter(({ long }) => long === word);
  return [...word.slice(1)].flatMap((letter) => flags.filter(({ short }) => short === `-${letter}`));
}
