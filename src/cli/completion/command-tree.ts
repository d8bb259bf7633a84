import type { Command, Option } from "commander";
import { readFlag } from "../help/command-page.js";
import { TOPICS } from "../help/topics.js";

/** A command as completion needs it: plain data, which the build writes into the program. */
export interface CommandNode {
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
