import { type Command, Help, Option } from "commander";
import type { GlobalFlags } from "../config/run-settings.js";

/** The flags that every command takes, in any position. */
function globalOptions(): readonly Option[] {
  return [
    new Option("-p, --profile <name>", "service and account to use (env: CALCTL_PROFILE)"),
    new Option(
      "-c, --calendar <id|name>",
      "calendar: id, name or unique beginning of a name (env: CALCTL_CALENDAR)",
    ).argParser((value: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), value]),
    new Option(
      "-o, --output <format>",
      "table, tsv, json or ndjson (default: table on a terminal, else tsv; env: CALCTL_OUTPUT)",
    ),
    new Option("--fields <a,b>", "columns or keys to show, in that order"),
    new Option(
      "--timezone <zone>",
      "zone of times read and shown, such as Asia/Tokyo (env: CALCTL_TIMEZONE)",
    ),
    noInputOption(),
    new Option("--color <when>", "whether to use colors (env: NO_COLOR, FORCE_COLOR)").choices([
      "auto",
      "always",
      "never",
    ]),
    new Option("-q, --quiet", "no notes on stderr"),
    new Option("-v, --verbose", "one line per HTTP request on stderr"),
    new Option(
      "--debug",
      "headers and bodies of HTTP requests, and stack traces, on stderr; secrets masked (env: CALCTL_DEBUG)",
    ),
    new Option("--timeout <seconds>", "longest time for one HTTP request (default: 30; env: CALCTL_TIMEOUT)"),
    new Option("--retries <n>", "further attempts where repeating is safe (default: 3; env: CALCTL_RETRIES)"),
    new Option(
      "--max-wait <seconds>",
      "longest total wait for a rate limit, 0 fails at once (default: 60; env: CALCTL_MAX_WAIT)",
    ),
  ];
}

/** Commander would store it under `input`, where `events create --input FILE` lives. */
function noInputOption(): Option {
  const option = new Option("--no-input", "never ask (env: CALCTL_NO_INPUT, CI)");
  option.attributeName = () => "prompts";
  return option;
}

/**
 * Declares the global flags on a command: commander would else read them out of other flags' values.
 * They come last in its help.
 */
export function addGlobalFlags(command: Command): Command {
  for (const option of globalOptions()) command.addOption(option.hideHelp());
  return command.addHelpText("after", () => describeGlobalFlags());
}

function describeGlobalFlags(): string {
  const help = new Help();
  const options = globalOptions();
  const width = Math.max(...options.map(({ flags }) => flags.length));
  const lines = options.map(({ flags, description }) => help.formatItem(flags, width, description, help));
  return ["\nGlobal flags, in any position:", ...lines].join("\n");
}

/** The global flags of a command and its parents: the innermost wins, calendars add up. */
export function readGlobalFlags(command: Command): GlobalFlags {
  const merged: Record<string, unknown> = {};
  const calendars: string[] = [];
  for (let level: Command | null = command; level !== null; level = level.parent) {
    for (const option of globalOptions()) {
      const name = option.attributeName();
      if (level.getOptionValueSource(name) !== "cli") continue;
      const value: unknown = level.getOptionValue(name);
      if (name === "calendar") calendars.unshift(...(value as readonly string[]));
      else merged[name] ??= value;
    }
  }
  return { ...merged, ...(calendars.length === 0 ? {} : { calendar: calendars }) };
}

/**
 * Lets `-c=-Ab` mean what `--calendar=-Ab` means: commander would take `=-Ab` as the value.
 * Values of other flags that look alike are left alone.
 * @param onParsing called before the flags of this command are parsed
 */
export function prepareParsing(command: Command, onParsing: (command: Command) => void): void {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    onParsing(command);
    return parseOptions(splitShortFlags(command, args));
  };
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
