import { Readable } from "node:stream";
import {
  CliError,
  type ErrorCode,
  joinUsageErrors,
  missingFlagsError,
  nullOn,
  UNSET_VARIABLE,
  usageError,
} from "../../../errors.js";
import {
  type ChosenCalendar,
  namedCalendars,
  resolveCalendars,
} from "../../../events/find/calendar-choice.js";
import { describeCandidates, resolveName } from "../../../events/names.js";
import { boundText } from "../../../output/error-report.js";
import type { ProcessLike } from "../../../run/machine.js";
import type { Run } from "../../../run/run.js";
import type { WritableLike } from "../../../terminal/text-sink.js";
import { MAX_TEXT, type ToolArguments, type ToolResult } from "./protocol.js";
import { summarize } from "./summary.js";
import { type FlagSchema, NOTICE, type Tool, valuesOf, withArgumentNames } from "./tools.js";

type RunWords = (words: readonly string[]) => ReturnType<ReturnType<typeof createCommandRunner>>;

/** Picks the tool that fits the service. @throws CliError where the service must be asked and does not respond */
type PickTool = (tool: Tool) => Promise<Tool>;

export function createToolPicker({ api, config }: Run): PickTool {
  return async (tool) => {
    if (tool.keyless === undefined || config.settings().service.kind === "local") return tool;
    const client = await api();
    const extensions = () => client.lastResponse()?.extensions ?? null;
    if (extensions() === null) await client.listCalendars().catch(nullOn("forbidden"));
    return extensions()?.includes("keys") === true ? tool : tool.keyless;
  };
}

/** What runs the calls of tools, each as a command. */
export function createCalls(run: Run, pickTool: PickTool) {
  const runCommand = createCommandRunner(run);
  const named = namedCalendars(run);
  /** The calendars of -c; empty for all, null until they are looked up. */
  let limit: readonly ChosenCalendar[] | null = named.length === 0 ? [] : null;
  return async (listed: Tool, given: ToolArguments, cancelled: AbortSignal): Promise<ToolResult> => {
    const runWords: RunWords = (words) => runCommand(words, cancelled);
    let tool = listed;
    try {
      tool = await pickTool(listed);
      const { typed, ignored } = withoutNull(tool, given);
      checkArguments(tool, typed);
      // Kept, so that no other calendar is meant that gets such a name later.
      limit ??= await resolveCalendars(run, named).catch(throwWithoutHint);
      cancelled.throwIfAborted();
      const { page, asked } = pageOf(tool, typed);
      const [first, ...others] = withCalendars(tool, asked, limit);
      let outcome = await runWords(wordsOf(tool, first));
      for (const other of others)
        if (outcome.error?.code === "not_found") outcome = await runWords(wordsOf(tool, other));
      const { error } = outcome;
      const value = await withNames(tool, outcome.value, runWords);
      const { data, more, rest } = cutList(tool.isList ? listOf(value) : value, page, tool.flags.has("days"));
      const result = { notice: NOTICE, data, notes: [...outcome.notes, ...ignored, ...rest] };
      if (error === null) {
        const value = markInvisible(result);
        return { value, summary: summarize(tool, value.data, more) };
      }
      return { value: markInvisible({ ...result, error: reportOf(error, tool) }), summary: null };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { code, exitCode, message, hint } = error;
      const report = reportOf({ code, exit_code: exitCode, message, hint }, tool);
      return { value: markInvisible({ notice: NOTICE, error: report }), summary: null };
    }
  };
}

/** The arguments without null, which clients send for what is not given, and a note where it could mean to clear. */
function withoutNull({ flags }: Tool, given: ToolArguments) {
  const names = Object.keys(given).filter((name) => given[name] === null);
  const typed: ToolArguments = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null),
  );
  const note = `null leaves ${names.join(", ")} unchanged; clear removes a field`;
  return { typed, ignored: names.length > 0 && flags.has("clear") ? [note] : [] };
}

/** How many items the result has, and the arguments of the command, which lists all, since the rest is counted. */
function pageOf({ page }: Tool, given: ToolArguments) {
  if (page === undefined) return { page, asked: given };
  const { limit = page.size, ...asked } = given;
  return { page: { ...page, size: Number(limit) }, asked };
}

/** A list, also where its command prints an object, as of a single calendar; undefined without a result. */
function listOf(value: unknown): unknown {
  return value === undefined ? undefined : [value].flat();
}

/** A page of a list, and a note that says how many are left out; another value as it is. */
function cutList(
  data: unknown,
  page: Tool["page"],
  hasDays: boolean,
): { readonly data: unknown; readonly more: number; readonly rest: readonly string[] } {
  if (page === undefined || !Array.isArray(data) || data.length <= page.size)
    return { data, more: 0, rest: [] };
  const { noun, end, size, maximum } = page;
  const advice = `for more, use limit (at most ${maximum})${hasDays ? " or fewer days" : ""}`;
  const note = `the ${end} ${size} of ${data.length} ${noun}; ${advice}`;
  return {
    data: end === "first" ? data.slice(0, size) : data.slice(-size),
    more: data.length - size,
    rest: [note],
  };
}

/** A written event with the names that the response to its write lacks, if they can be read; other values unchanged. */
async function withNames({ name }: Tool, value: unknown, runWords: RunWords): Promise<unknown> {
  const { id, calendar_id: calendarId, creator, label, attendees = [] } = Object(value);
  const isNamed = [creator, label, ...attendees].every((each) => each?.name !== null);
  if (name === "get_event" || isNamed) return value;
  const read = await runWords(["events", "get", `--calendar=${calendarId}`, "--", id]);
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
  throw usageError("calendar is missing", `use one of ${describeCandidates(limit)}`);
}

/** @throws CliError usage for arguments that are missing, unknown or of the wrong type */
function checkArguments({ required, flags }: Tool, given: ToolArguments): void {
  const missing = required.filter((name) => given[name] === undefined);
  if (missing.length > 0) throw missingFlagsError(missing);
  const names = new Set([...required, ...flags.keys()]);
  const unknown = Object.keys(given).find((name) => !names.has(name));
  if (unknown !== undefined)
    throw usageError(`unknown argument "${unknown}"`, `arguments: ${[...names].join(", ")}`);
  const problems = Object.entries(given).flatMap(([name, value]) => {
    const problem = problemOf(value, flags.get(name) ?? {});
    return problem === null ? [] : [usageError(`${name}: ${JSON.stringify(value)} is not ${problem}`)];
  });
  if (problems.length > 0) throw joinUsageErrors(problems);
}

/** What a value is not, but should be; null if it is right. */
function problemOf(
  value: unknown,
  { type = {}, repeatable = false }: Partial<Pick<FlagSchema, "type" | "repeatable">>,
): string | null {
  const expected = String(type["type"] ?? "string");
  const isExpected = isOfType(expected);
  if (repeatable) return Array.isArray(value) && value.every(isExpected) ? null : `an array of ${expected}s`;
  if (!isExpected(value)) return `${expected === "integer" ? "an" : "a"} ${expected}`;
  const { minimum, maximum } = type;
  if (typeof minimum !== "number" || typeof maximum !== "number") return null;
  const number = Number(value);
  return number < minimum || number > maximum ? `from ${minimum} to ${maximum}` : null;
}

/** Whether a value has a type of JSON Schema. */
function isOfType(type: string): (value: unknown) => boolean {
  return (value) => (type === "integer" ? Number.isInteger(value) : typeof value === type);
}

/** The command line of a call, whose arguments are right. @throws CliError usage for ids on stdin */
function wordsOf(tool: Tool, given: ToolArguments): readonly string[] {
  const { command, flags } = tool;
  const words = Object.entries(given).flatMap(([name, value]) => {
    const flag = flags.get(name);
    if (flag === undefined) return [];
    if (flag.value !== null) return [value].flat().map((text) => `${flag.name}=${text}`);
    if (value === true) return [flag.name];
    return flags.has(`no_${name}`) ? [`--no-${flag.name.slice(2)}`] : [];
  });
  if (given["id"] === "-") throw usageError('id: "-" is not the id of an event');
  const values = valuesOf(tool).map((name) => String(given[name]));
  return [...command.split(" "), ...words, ...(values.length === 0 ? [] : ["--", ...values])];
}

/** Characters that nobody sees, apart from those that join and select emoji, and the non-joiner of Arabic script. */
const INVISIBLE =
  /(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d\p{Extended_Pictographic}|(?<=\p{Emoji})\ufe0f|(?<=\p{Script=Arabic})\u200c\p{Script=Arabic})[\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u007f-\u009f]/gu;

/** The value with `\u{200b}` for each character that nobody sees: it could hide what a model reads. */
function markInvisible<T extends object>(value: T): T {
  const mark = (found: string) => `\\\\u{${found.codePointAt(0)?.toString(16)}}`;
  return JSON.parse(JSON.stringify(value).replace(INVISIBLE, mark));
}

/** The error of a command, of which `errorShape` has all keys. */
interface ErrorReport {
  readonly code: string;
  readonly exit_code: number;
  readonly message: string;
  readonly hint?: string | null | undefined;
}

/** Runs commands as another process with this environment would, with an empty stdin and nobody to ask. */
function createCommandRunner({ program, flags, machine }: Run) {
  const { profile, timezone, timeout, retries, maxWait, verbose, debug } = flags;
  const values = {
    profile,
    timezone,
    timeout: timeout / 1000,
    retries,
    "max-wait": maxWait / 1000,
    output: "json",
  };
  const passed = [
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    ...Object.entries({ verbose, debug }).flatMap(([name, isOn]) => (isOn ? [`--${name}`] : [])),
  ];
  /**
   * @param cancelled interrupts the command when it aborts
   * @returns the JSON that the command printed, its error or null, and what else it said on stderr
   */
  return async (words: readonly string[], cancelled: AbortSignal) => {
    const interrupted = AbortSignal.any([machine.signal(), cancelled]);
    const [stdout, stderr, ended] = [createCapture(), createCapture(), new AbortController()];
    const once: ProcessLike["once"] = (name, listener) => {
      if (name !== "SIGINT") return;
      if (interrupted.aborted) listener();
      else interrupted.addEventListener("abort", listener, { once: true, signal: ended.signal });
    };
    const process = { ...detached(machine.process), stdout, stderr, once };
    const exitCode = await program.run([...passed, ...words], process, machine.overrides);
    ended.abort();
    const lines = stderr.text().split("\n").slice(0, -1);
    const error: ErrorReport | null = exitCode === 0 ? null : JSON.parse(lines.pop() ?? "").error;
    const isLogged = verbose || debug;
    if (isLogged || interrupted.aborted) await machine.stderr.write(stderr.text());
    const value: unknown = stdout.text() === "" ? undefined : JSON.parse(stdout.text());
    return { value, error, notes: isLogged ? [] : lines };
  };
}

function detached({ env, platform, execPath, pid, kill, geteuid }: ProcessLike) {
  const nothing = () => undefined;
  const stdin = Object.assign(Readable.from([]), { isTTY: false });
  const listeners = { rawListeners: () => [], removeAllListeners: nothing, on: nothing, off: nothing };
  return { env, platform, execPath, argv: [], pid, kill, geteuid, stdin, ...listeners };
}

/** A stream that keeps what is written to it. */
type Capture = WritableLike & { text(): string };

function createCapture(): Capture {
  let captured = "";
  return {
    isTTY: false,
    columns: undefined,
    write(text, done) {
      captured += text;
      done();
      return true;
    },
    on: () => undefined,
    text: () => captured,
  };
}
