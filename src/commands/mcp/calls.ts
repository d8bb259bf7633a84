import { describeCandidates, resolveName } from "../../calendar/names.js";
import {
  CliError,
  type ErrorCode,
  joinUsageErrors,
  missingFlagsError,
  UNSET_VARIABLE,
  usageError,
} from "../../errors.js";
import { boundText } from "../../output/error-report.js";
import { escapeJson, jsonEscape } from "../../output/sanitize.js";
import {
  type CalendarContext,
  type ChosenCalendar,
  namedCalendars,
  resolveCalendars,
} from "../calendar-choice.js";
import { createCommandRunner, type ErrorReport, type RunContext } from "./command-run.js";
import { MAX_TEXT, type ToolArguments, type ToolResult } from "./protocol.js";
import { NOTICE, type Tool, withArgumentNames } from "./tools.js";

/** What runs the calls of tools, each as a command. */
export function createCalls(context: CalendarContext & RunContext) {
  const run = createCommandRunner(context);
  const named = namedCalendars(context);
  /** The calendars of -c; empty for all, null until they are looked up. */
  let limit: readonly ChosenCalendar[] | null = named.length === 0 ? [] : null;
  return async (tool: Tool, given: ToolArguments): Promise<ToolResult> => {
    try {
      // Some clients send null for what is not given.
      const typed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
      checkArguments(tool, typed);
      // Kept, so that no other calendar is meant that gets such a name later.
      limit ??= await context.names
        .withCachedNames(() => resolveCalendars(context, named))
        .catch(throwWithoutHint);
      const [first, ...others] = withCalendars(tool, typed, limit);
      let outcome = await run(wordsOf(tool, first));
      for (const other of others)
        if (outcome.error?.code === "not_found") outcome = await run(wordsOf(tool, other));
      const { notes, error } = outcome;
      const value = await withNames(tool, outcome.value, run);
      // Of a single calendar, its command prints an object.
      const data = tool.isList && value !== undefined ? [value].flat() : value;
      const result = { notice: NOTICE, data, notes };
      if (error === null) return { content: textOf(result), structuredContent: result };
      return { content: textOf({ ...result, error: reportOf(error, tool) }), isError: true };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { code, exitCode, message, hint } = error;
      const report = reportOf({ code, exit_code: exitCode, message, hint }, tool);
      return { content: textOf({ notice: NOTICE, error: report }), isError: true };
    }
  };
}

/** A created event with the names that the response to its create lacks, if they can be read; other values unchanged. */
async function withNames(
  { name }: Pick<Tool, "name">,
  value: unknown,
  run: ReturnType<typeof createCommandRunner>,
): Promise<unknown> {
  const { id, calendar_id: calendarId, creator } = Object(value);
  if (name !== "create_event" || creator?.name !== null) return value;
  const read = await run(["events", "get", `--calendar=${calendarId}`, "--", id]);
  return read.error === null ? read.value : value;
}

/** What only the person at this machine can mend. */
const FOR_THE_USER: ReadonlySet<unknown> = new Set<ErrorCode>(["not_signed_in", "configuration"]);

/** A command, or a flag that is no argument of a tool: a hint with one is for someone at a shell. */
const NAME_IN_SHELL = /\bcalctl [a-z]|(?:^|\s)--?[a-z]/;

/** An error as a model gets it: no text is longer than 1,000, and a hint is about arguments, or for the user. */
function reportOf(error: ErrorReport, tool: Tool): object {
  const report = withArgumentNames(error, tool);
  const { code, hint } = report;
  const isForShell = !FOR_THE_USER.has(code) && (hint === UNSET_VARIABLE || NAME_IN_SHELL.test(hint ?? ""));
  const bound = (_key: string, value: unknown) =>
    typeof value === "string" ? boundText(value, MAX_TEXT) : value;
  return JSON.parse(JSON.stringify({ ...report, ...(isForShell && { hint: null }) }, bound));
}

/** The hint of a wrong -c names the calendars that an agent may not see. */
function throwWithoutHint(error: unknown): never {
  throw error instanceof CliError ? new CliError(error.code, error.message, { cause: error }) : error;
}

/**
 * The arguments, with calendars within the limit: several times for an event that may be in each of them.
 * @throws CliError usage, not_found for a calendar outside it
 */
function withCalendars(
  tool: Tool,
  given: ToolArguments,
  limit: readonly ChosenCalendar[],
): readonly [ToolArguments, ...ToolArguments[]] {
  const { calendar } = given;
  const [first, ...others] = limit;
  if (first === undefined) return [given];
  if (calendar !== undefined) {
    const options = { noun: "calendar", source: "calendar", byPrefix: true };
    return [{ ...given, calendar: resolveName(String(calendar), limit, options).id }];
  }
  if (tool.isList) return [{ ...given, calendar: limit.map(({ id }) => id) }];
  const inCalendar = ({ id }: ChosenCalendar) => ({ ...given, calendar: id });
  if (others.length === 0 || tool.required.includes("id"))
    return [inCalendar(first), ...others.map(inCalendar)];
  throw usageError("calendar is missing", `give one of ${describeCandidates(limit)}`);
}

/** @throws CliError usage for arguments that are missing, unknown or of the wrong type */
function checkArguments({ required, flags }: Tool, given: ToolArguments): void {
  const missing = required.filter((name) => given[name] === undefined);
  if (missing.length > 0) throw missingFlagsError(missing);
  const names = new Set([...required, ...flags.keys()]);
  const unknown = Object.keys(given).find((name) => !names.has(name));
  if (unknown !== undefined)
    throw usageError(`there is no argument "${unknown}"`, `arguments: ${[...names].join(", ")}`);
  const problems = Object.entries(given).flatMap(([name, value]) => {
    const { type = {}, repeatable = false } = flags.get(name) ?? {};
    const expected = String(type["type"] ?? "string");
    if (repeatable ? Array.isArray(value) && value.every(isOfType(expected)) : isOfType(expected)(value))
      return [];
    const wanted = repeatable
      ? `an array of ${expected}s`
      : `${expected === "integer" ? "an" : "a"} ${expected}`;
    return [usageError(`${name}: ${JSON.stringify(value)} is not ${wanted}`)];
  });
  if (problems.length > 0) throw joinUsageErrors(problems);
}

/** Whether a value has a type of JSON Schema. */
function isOfType(type: string): (value: unknown) => boolean {
  return (value) => (type === "integer" ? Number.isInteger(value) : typeof value === type);
}

/** The command line of a call, whose arguments are right. @throws CliError usage for ids on stdin */
function wordsOf({ command, required, flags }: Tool, given: ToolArguments): readonly string[] {
  const words = Object.entries(given).flatMap(([name, value]) => {
    const flag = flags.get(name);
    if (flag === undefined) return [];
    if (flag.value !== null) return [value].flat().map((text) => `${flag.name}=${text}`);
    if (value === true) return [flag.name];
    return flags.has(`no_${name}`) ? [`--no-${flag.name.slice(2)}`] : [];
  });
  const id = String(given["id"]);
  if (id === "-") throw usageError('id: "-" is not the id of an event');
  return [...command.split(" "), ...words, ...(required.includes("id") ? ["--", id] : [])];
}

/** As JSON in which characters that nobody sees are escapes, since they could hide what a model reads. */
function textOf(value: object): ToolResult["content"] {
  const text = escapeJson(JSON.stringify(value)).replace(/\p{Cf}/gu, jsonEscape);
  return [{ type: "text", text }];
}
