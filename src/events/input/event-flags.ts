import type { Command } from "commander";
import type { Category } from "../../../contract/shapes.js";
import { collect } from "../../cli/global-flags.js";
import { asUsageError, type CliError, joinUsageErrors, missingFlagsError, usageError } from "../../errors.js";
import type { Run } from "../../run/run.js";
import {
  dayOfInput,
  isIsoDateInput,
  isLocalDateTime,
  parseDuration,
  parseShift,
  parseTimeZone,
} from "../../time/dates.js";
import { readEventInput } from "../json.js";
import type { Named } from "../names.js";
import { CATEGORY_CHOICES } from "../order.js";
import {
  type ClearableField,
  checkPatch,
  type EventPatch,
  type ReadFields,
  type TypedPatch,
  type TypedTimes,
} from "../patch.js";
import { addStrictDatesFlag, type DateFlagOptions, readDateFlag, type TimeReading } from "./date-flags.js";

/** The flags about an event, as typed. */
export interface EventFlags extends Pick<DateFlagOptions, "addsTime"> {
  readonly start?: string;
  readonly end?: string;
  readonly duration?: string;
  readonly allDay?: boolean;
  readonly startTimezone?: string;
  readonly endTimezone?: string;
  readonly strictDates?: boolean;
  readonly title?: string;
  readonly category?: Category;
  readonly description?: string;
  readonly descriptionFile?: string;
  readonly location?: string;
  readonly url?: string;
  readonly label?: string;
  /** How messages name it, if not as the flag. */
  readonly labelSource?: string;
  readonly attendee?: readonly string[];
  readonly input?: string;
  /** Of `events create`: makes the same event once. */
  readonly key?: string;
  /** Of `events update`: how far the event is moved, and what is cleared. */
  readonly by?: string;
  readonly clear?: readonly string[];
  readonly addAttendee?: readonly string[];
  readonly removeAttendee?: readonly string[];
  /** How the event repeats. */
  readonly repeat?: string;
  readonly until?: string;
  readonly count?: string;
  readonly except?: readonly string[];
  readonly copies?: boolean;
}

/** The flags about an event, in the order in which a command line names them. */
export const FIELD_FLAGS = {
  allDay: "--all-day",
  strictDates: "--strict-dates",
  category: "--category",
  title: "--title",
  start: "--start",
  end: "--end",
  duration: "--duration",
  startTimezone: "--start-timezone",
  endTimezone: "--end-timezone",
  description: "--description",
  descriptionFile: "--description-file",
  location: "--location",
  url: "--url",
  label: "--label",
  attendee: "--attendee",
  input: "--input",
  key: "--key",
  by: "--by",
  clear: "--clear",
  addAttendee: "--add-attendee",
  removeAttendee: "--remove-attendee",
  repeat: "--repeat",
  until: "--until",
  count: "--count",
  except: "--except",
  copies: "--copies",
} satisfies Record<Exclude<keyof EventFlags, "addsTime" | "labelSource">, string>;

export type FieldFlag = keyof typeof FIELD_FLAGS;

const FLAG_NAMES = Object.keys(FIELD_FLAGS) as readonly FieldFlag[];

/** Whether any flag says something about the event. */
export function hasContentFlags(flags: EventFlags): boolean {
  return FLAG_NAMES.some((name) => name !== "strictDates" && flags[name] !== undefined);
}

/** The flags of a new event as the words of a command line. */
export function flagWords(flags: EventFlags): readonly string[] {
  return FLAG_NAMES.flatMap((name) => {
    const flag = FIELD_FLAGS[name];
    const value = flags[name] ?? false;
    if (typeof value === "boolean") return value ? [flag] : [];
    return [value].flat().flatMap((text) => [flag, text]);
  });
}

/** Headings of help, above the flags that belong together. */
export const FLAG_GROUPS = {
  what: "What and when",
  where: "Where and who",
  repeating: "Repeating",
  scripting: "Input and scripting",
} as const;

/** Declares the flags of what an event is, when, where and with whom. */
export function addEventFieldFlags(command: Command): Command {
  command
    .optionsGroup(FLAG_GROUPS.what)
    .option("--title <text>", "title, up to 50 characters")
    .option(
      "--start <time>",
      "start, such as tomorrow 3pm, fri 9:30, +2h or YYYY-MM-DDTHH:MM; a date with --all-day",
    )
    .option("--end <time>", "end, written like the start; the last day of an all-day event")
    .option("--duration <duration>", "length, such as 90m, 1.5h or 2d, instead of --end; 1h for a new event")
    .option("--all-day", "make it an all-day event")
    .option("--description <text>", "description, up to 10,000 characters")
    .option("--description-file <path|->", "file with the description, - for stdin")
    .option("--label <number|id|name>", "label")
    .addOption(command.createOption("--category <category>", "category").choices(CATEGORY_CHOICES))
    .option("--url <url>", "URL")
    .option("--start-timezone <zone>", "time zone of the start, such as Asia/Tokyo (default: --timezone)")
    .option("--end-timezone <zone>", "time zone of the end (default: --timezone)");
  return addStrictDatesFlag(command)
    .optionsGroup(FLAG_GROUPS.where)
    .option("--location <text>", "location, up to 100 characters")
    .option("--attendee <id|name|me>", "attendee, repeatable", collect);
}

/** Declares the flags about how an event repeats. */
export function addRepeatFlags(command: Command): Command {
  return command
    .optionsGroup(FLAG_GROUPS.repeating)
    .option(
      "--repeat <rule>",
      "when it repeats, such as weekly on mon, every 2 weeks, monthly on the last fri or FREQ=…",
    )
    .option("--until <date>", "last day on which it may repeat")
    .option("--count <number>", "number of times it takes place")
    .option("--except <date>", "date on which it does not take place, repeatable", collect);
}

/** Declares `--input`. @param meaning what it reads, for help */
export function addInputFlag(command: Command, meaning: string): Command {
  return command.optionsGroup(FLAG_GROUPS.scripting).option("--input <path|->", meaning);
}

/** Whether any flag about how an event repeats is given. */
export function namesRepeat({ repeat, until, count, except, copies }: EventFlags): boolean {
  return (repeat ?? until ?? count ?? except ?? copies) !== undefined;
}

/**
 * Checks them, without the rule engine.
 * @param hasRule whether the event may have a rule already, which `--until` and `--count` end
 * @throws CliError usage for flags that need or exclude each other
 */
export function checkRepeatFlags(
  { repeat, until, count, except, copies }: EventFlags,
  { hasRule }: { readonly hasRule: boolean },
): void {
  const ends = hasRule ? {} : { "--until": until, "--count": count };
  const others = { ...ends, "--except": except, "--copies": copies };
  const useless = Object.entries(others).find(([, value]) => value !== undefined);
  if (repeat === undefined && useless !== undefined)
    throw usageError(`missing --repeat: ${useless[0]} has no effect without it`);
  if (until !== undefined && count !== undefined)
    throw usageError("--until and --count are both given", "use only one of them");
}

/** @throws CliError usage when two flags read stdin */
export function checkStdin({ descriptionFile, input }: EventFlags): void {
  if (descriptionFile === "-" && input === "-")
    throw usageError("--input - and --description-file - both read stdin", "use only one of them");
}

/**
 * Reads the flags, and the files they name.
 * @param options `input` is what --input has where it was read already; `missing` the flags that the command needs and that
 * are not given, for the error about a wrong time
 * @returns what the input says, if there is one, and what the flags say
 * @throws CliError usage
 */
export async function readEventFields(
  run: Run,
  typed: EventFlags,
  options: {
    readonly input?: unknown;
    readonly missing?: (input: readonly EventPatch[]) => readonly string[];
  } = {},
): Promise<readonly [...input: EventPatch[], flags: TypedPatch]> {
  const { title, category, location, url, label, input: path } = typed;
  const by = typed.by === undefined ? undefined : parseShift(typed.by, "--by");
  checkStdin(typed);
  const given =
    options.input === undefined ? path && (await run.terminal.input.json(path, "--input")) : options.input;
  const input = given === undefined ? null : readEventInput(given, "--input");
  if (input !== null) checkPatch(input.patch);
  for (const text of input?.notes ?? []) run.output.note(text);
  const read = input === null ? [] : [input.patch];
  const texts = { title, location, url, description: await readDescription(run, typed) };
  checkPatch(texts);
  const times = await readTimeFlags(run, typed, options.missing?.(read) ?? []);
  const flags: ReadFields & TypedPatch = {
    ...texts,
    ...times,
    by,
    category,
    recurrences: undefined,
    label: label === undefined ? undefined : { value: label, source: typed.labelSource ?? "--label" },
    attendees: namedValues(typed.attendee, "--attendee"),
    addAttendees: namedValues(typed.addAttendee, "--add-attendee"),
    removeAttendees: namedValues(typed.removeAttendee, "--remove-attendee"),
  };
  return [...read, { ...flags, ...clearedFields(typed.clear, flags) }];
}

/** The fields that `--clear` can name, as a patch clears them. */
const CLEARED = {
  description: null,
  location: null,
  url: null,
  attendees: [],
  start: null,
  end: null,
} satisfies Record<ClearableField | "start" | "end", null | readonly never[]>;

export const CLEARABLE = Object.keys(CLEARED) as readonly (keyof typeof CLEARED)[];

/** What `--clear` says. @throws CliError usage for a field that cannot be cleared, or that another flag gives a value */
function clearedFields(names: readonly string[] = [], flags: TypedPatch): TypedPatch {
  const given = { ...flags, end: flags.end ?? flags.duration };
  const fields = names.map((name) => {
    const field = CLEARABLE.find((each) => each === name);
    if (field === undefined)
      throw usageError(`--clear: "${name}" cannot be cleared`, `fields: ${CLEARABLE.join(", ")}`);
    if (given[field] !== undefined)
      throw usageError(`--clear ${field}: a new value is given too`, "use only one of them");
    return [field, CLEARED[field]];
  });
  return Object.fromEntries(fields);
}

/** People as a flag or a document names them; undefined when there are none. */
export function namedValues(
  values: readonly string[] | undefined,
  source: string,
): readonly Named[] | undefined {
  return values?.map((value) => ({ value, source }));
}

async function readDescription(
  { terminal }: Run,
  { description, descriptionFile }: EventFlags,
): Promise<string | undefined> {
  if (descriptionFile === undefined) return description;
  if (description !== undefined) throw usageError("use either --description or --description-file, not both");
  return terminal.input.text(descriptionFile, "--description-file");
}

/**
 * Reads each time in its own zone, by default the chosen one.
 * @param missing flags that the command needs and that are not given, for the error
 * @throws CliError usage that names everything that is wrong, and then what is missing
 */
export async function readTimeFlags(
  { config, now, output }: TimeReading,
  typed: EventFlags,
  missing: readonly string[] = [],
): Promise<TypedTimes> {
  const problems = createProblems(missing);
  const readZone = (name: string | undefined, source: string) =>
    problems.collect(name, (given) => parseTimeZone(given, source));
  const startTimezone = await readZone(typed.startTimezone, "--start-timezone");
  const endTimezone = await readZone(typed.endTimezone, "--end-timezone");
  // Without valid zones, the times cannot be read.
  problems.report();
  const strict = typed.strictDates === true;
  // An all-day event has no use for a time, so that no message should offer one.
  const common = (text: string) => {
    const dayOnly = typed.allDay === true && !isIsoDateInput(text);
    return { now, echo: output.note, strict, dayOnly };
  };
  const startZone = () => startTimezone ?? config.settings().timezone;
  const start = await problems.collect(typed.start, (text) =>
    readDateFlag(text, {
      ...common(text),
      source: "--start",
      zone: startZone(),
      addsTime: typed.addsTime === true,
    }),
  );
  const end = await problems.collect(typed.end, (text) => {
    const zone = endTimezone ?? config.settings().timezone;
    const from = () => (start === undefined ? null : dayOfInput(start, startZone()));
    if (endTimezone === undefined && startZone() !== zone && isLocalDateTime(text))
      output.note(
        `end: "${text}" is in ${zone}; for the zone of the start, add --end-timezone ${startZone()}`,
      );
    return readDateFlag(text, { ...common(text), source: "--end", zone, from });
  });
  const duration = await problems.collect(typed.duration, (text) => parseDuration(text, "--duration"));
  problems.report();
  return { start, end, duration, allDay: typed.allDay, startTimezone, endTimezone };
}

/** Collects usage errors, so that one error can name them all. */
function createProblems(missing: readonly string[]) {
  const errors: CliError[] = [];
  return {
    /** What `read` makes of a value; undefined without one, and if reading it is a usage error. */
    async collect<T>(value: string | undefined, read: (value: string) => T | Promise<T>) {
      try {
        return value === undefined ? undefined : await read(value);
      } catch (error) {
        errors.push(asUsageError(error));
        return undefined;
      }
    },
    /** @throws CliError usage when there are errors */
    report(): void {
      if (errors.length === 0) return;
      throw joinUsageErrors(missing.length === 0 ? errors : [...errors, missingFlagsError(missing)]);
    },
  };
}
