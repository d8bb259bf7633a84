import type { Command } from "commander";

/**
 * Lets `-c=-Ab` mean what `--calendar=-Ab` means: commander would take `=-Ab` as the value.
 * Values of other flags that look alike are left alone.
 */
export function acceptShortFlagEquals(command: Command): void {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (args) => parseOptions(splitShortFlags(command, args));
}

function splitShortFlags(command: Command, args: readonly string[]): string[] {
  const result: string[] = [];
  let index = 0;
  while (index < args.length && !endsFlags(command, args[index] ?? "")) {
    const arg = args[index] ?? "";
    const [, flag, value] = /^(-[A-Za-z])=(.*)$/s.exec(arg) ?? [];
    if (flag !== undefined && value !== undefined && takesValue(command, flag)) {
      result.push(flag, value);
      index += 1;
    } else {
      const length = takesValue(command, arg) ? 2 : 1;
      result.push(...args.slice(index, index + length));
      index += length;
    }
  }
  return [...result, ...args.slice(index)];
}

/** Behind `--` there are no flags, and what follows the name of a subcommand is that one's to parse. */
function endsFlags(command: Command, arg: string): boolean {
  return arg === "--" || (command.commands.length > 0 && !arg.startsWith("-"));
}

function takesValue(command: Command, flag: string): boolean {
  return command.options.some((option) => option.required && (option.short === flag || option.long === flag));
}
