import { type Command, Option } from "commander";
import { type GlobalFlags, MAX_WAIT, RETRIES, TIMEOUT } from "../config/run-settings.js";
import { usageError } from "../errors.js";

/** Parser of a repeatable flag: collects its values. */
export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

/** Commander would store it as `input`, which is `events create --input FILE`. */
function noInputOption(): Option {
  const option = new Option("--no-input", "never prompt (env: CALCTL_NO_INPUT, CI)");
  option.attributeName = () => "prompts";
  return option;
}

/** The flags of every command, in any position. The help of a command does not repeat them. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  new Option("-p, --profile <name>", "profile: the service and account to use (env: CALCTL_PROFILE)"),
  new Option(
    "-c, --calendar <id|name>",
    "calendar: id, name or unique prefix of a name (env: CALCTL_CALENDAR)",
  ).argParser(collect),
  new Option(
    "-o, --output <format>",
    "table, tsv, csv, json, ndjson, markdown, text or (events) ics (default: table on a terminal, else tsv; env: CALCTL_OUTPUT)",
  ),
  new Option("--fields [a,b]", "columns or keys to print, in this order; without a value, list them"),
  new Option("--jq <expr>", "filter the JSON output with a jq program"),
  new Option("--template <text|@file>", "print each item with a Liquid template"),
  new Option("--csv-safe", "with csv: put ' before cells that look like spreadsheet formulas"),
  new Option(
    "--timezone <zone>",
    "time zone for reading and showing times, such as Asia/Tokyo (env: CALCTL_TIMEZONE)",
  ),
  new Option("--refresh", "ask the service for the calendar of an event, instead of the cache"),
  noInputOption(),
  new Option("--color <when>", "when to use colors (env: NO_COLOR, FORCE_COLOR)").choices([
    "auto",
    "always",
    "never",
  ]),
  new Option("-q, --quiet", "print no notes on stderr"),
  new Option("-v, --verbose", "print one line per HTTP request on stderr"),
  new Option(
    "--debug",
    "print headers and bodies of HTTP requests, and stack traces, on stderr; secrets masked (env: CALCTL_DEBUG)",
  ),
  new Option(
    "--timeout <seconds>",
    `timeout of one HTTP request (default: ${TIMEOUT.default}; env: ${TIMEOUT.variable})`,
  ),
  new Option(
    "--retries <n>",
    `retries of requests that are safe to repeat (default: ${RETRIES.default}; env: ${RETRIES.variable})`,
  ),
  new Option(
    "--max-wait <seconds>",
    `longest total wait for a rate limit; 0 fails at once (default: ${MAX_WAIT.default}; env: ${MAX_WAIT.variable})`,
  ),
  new Option("--dry-run", "print the requests of writes as JSON instead of sending them"),
  // Commands share these, so that none may put them into a group of its own.
].map((option) => option.hideHelp().helpGroup("Global flags"));

const GLOBAL_NAMES = GLOBAL_OPTIONS.map((option) => option.attributeName());

/** Declares the global flags on a command; otherwise commander would find them in values of other flags. */
export function addGlobalFlags(command: Command): Command {
  for (const option of GLOBAL_OPTIONS) command.addOption(option);
  return command;
}

/** The global flags of a command and its parents: the innermost wins, calendars are collected. */
export function readGlobalFlags(command: Command): GlobalFlags {
  const merged: Record<string, unknown> = {};
  const calendars: string[] = [];
  for (let level: Command | null = command; level !== null; level = level.parent) {
    for (const name of GLOBAL_NAMES) {
      if (level.getOptionValueSource(name) !== "cli") continue;
      const value: unknown = level.getOptionValue(name);
      if (name === "calendar") calendars.unshift(...(value as readonly string[]));
      else merged[name] ??= value;
    }
  }
  return { ...merged, ...(calendars.length === 0 ? {} : { calendar: calendars }) };
}

/**
 * Prepares a command for parsing: it gets the global flags, `-c=-Ab` becomes the same as `--calendar=-Ab` (commander would take `=-Ab` as the
 * value; values of other flags that look similar are not changed), and a flag that was given twice is refused.
 * @param given the flags of the command line so far, by the attribute they set; shared by its commands
 * @param onParsing called before the flags of this command are parsed
 */
export function prepareParsing(
  command: Command,
  given: Map<string, string>,
  onParsing: (command: Command) => void,
): void {
  const parseOptions = command.parseOptions.bind(command);
  let problems: readonly string[] | undefined;
  command.parseOptions = (args) => {
    // Only for the commands of the command line: each would take 0.3 ms.
    if (problems === undefined) {
      addGlobalFlags(command);
      problems = collectProblems(command, given);
    }
    onParsing(command);
    const parsed = parseOptions(splitShortFlags(command, args));
    // The names of the fields need no event.
    if (readGlobalFlags(command).fields === true)
      for (const argument of command.registeredArguments) argument.argOptional();
    // Only now, so that an `-o json` after the flag counts for the error.
    const [problem] = problems;
    if (problem !== undefined) throw usageError(problem);
    return parsed;
  };
}

/** Messages about flags that take one value but were given twice, and about switches that contradict each other. */
function collectProblems(command: Command, given: Map<string, string>): readonly string[] {
  const problems: string[] = [];
  for (const option of command.options) {
    const flag = option.long ?? option.flags;
    command.on(`option:${option.name()}`, () => {
      const earlier = given.get(option.attributeName());
      given.set(option.attributeName(), flag);
      if (earlier === undefined || option.parseArg === collect) return;
      if (earlier !== flag) problems.push(`${earlier} and ${flag} contradict each other`);
      else if (option.required || option.optional) problems.push(`${flag} was given twice`);
    });
  }
  return problems;
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
      const length = takesValue(command, arg) || takesOptionalValue(command, arg, args[index + 1]) ? 2 : 1;
      result.push(...args.slice(index, index + length));
      index += length;
    }
  }
  return [...result, ...args.slice(index)];
}

/** After `--` there are no flags, and everything after the name of a subcommand is parsed by that command. */
function endsFlags(command: Command, arg: string): boolean {
  return arg === "--" || (command.commands.length > 0 && !arg.startsWith("-"));
}

/** Like commander, which takes no value that begins with `-` for an optional one. */
function takesOptionalValue(command: Command, flag: string, next = "-"): boolean {
  return !next.startsWith("-") && command.options.some(({ optional, long }) => optional && long === flag);
}

function takesValue(command: Command, flag: string): boolean {
  return command.options.some((option) => option.required && (option.short === flag || option.long === flag));
}
