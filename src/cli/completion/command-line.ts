import type { CommandNode, Flag } from "./command-tree.js";

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
