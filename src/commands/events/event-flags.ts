import type { Command } from "commander";
import type { Category, Label, User } from "../../../contract/shapes.js";
import { parseShift } from "../../calendar/dates.js";
import { CATEGORY_CHOICES } from "../../calendar/event-order.js";
import type { RelatedResources } from "../../calendar/event-view.js";
import { findPrintedLabel, type Named, resolveAttendees, resolveLabel } from "../../calendar/names.js";
import { collect } from "../../cli/global-flags.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import { type EventInput, readEventInput } from "../../events/json.js";
import { checkPatch, type EventPatch, type TypedPatch } from "../../events/patch.js";
import { addStrictDatesFlag, readTimeFlags, type TypedTimeFlags } from "./date-flags.js";

/** The flags about an event, as typed. */
export interface EventFlags extends TypedTimeFlags {
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
const FIELD_FLAGS = [
  "allDay",
  "strictDates",
  "category",
  "title",
  "start",
  "end",
  "duration",
  "startTimezone",
  "endTimezone",
  "description",
  "descriptionFile",
  "location",
  "url",
  "label",
  "attendee",
  "input",
  "key",
  "by",
  "clear",
  "addAttendee",
  "removeAttendee",
  "repeat",
  "until",
  "count",
  "except",
  "copies",
] as const satisfies readonly (keyof EventFlags)[];

/** Whether any flag says something about the event. */
export function hasContentFlags(flags: EventFlags): boolean {
  return FIELD_FLAGS.some((name) => name !== "strictDates" && flags[name] !== undefined);
}

/** The flags of a new event as the words of a command line. */
export function flagWords(flags: EventFlags): readonly string[] {
  return FIELD_FLAGS.flatMap((name) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const value = flags[name] ?? false;
    if (typeof value === "boolean") return value ? [flag] : [];
    return [value].flat().flatMap((text) => [flag, text]);
  });
}

/** Number of the label of an event without one. */
export const DEFAULT_LABEL = "1";

/** Declares the flags on a command. @param input what --input reads, for help */
export function addEventFieldFlags(
  command: Command,
  input = "read one event as JSON, as printed by -o json; flags win over it",
): Command {
  command
    .option("--title <text>", "title, up to 50 characters")
    .addOption(command.createOption("--category <category>", "category").choices(CATEGORY_CHOICES))
    .option("--start <time>", "start: tomorrow 3pm, fri 9:30, +2h, YYYY-MM-DDTHH:MM; a day with --all-day")
    .option("--end <time>", "end, written the same way; the last day of an all-day event")
    .option("--duration <duration>", "90m, 1.5h or 2d; instead of --end (1h for a new event)")
    .option("--all-day", "make it an all-day event")
    .option("--start-timezone <zone>", "zone of the start, such as Asia/Tokyo (default: --timezone)")
    .option("--end-timezone <zone>", "zone of the end (default: --timezone)");
  return addStrictDatesFlag(command)
    .option("--description <text>", "description, up to 10,000 characters")
    .option("--description-file <path|->", "read the description from a file, - for stdin")
    .option("--location <text>", "location, up to 100 characters")
    .option("--url <url>", "URL")
    .option("--label <number|id|name>", "label")
    .option("--attendee <id|name|me>", "attendee, repeatable", collect)
    .option("--input <path|->", input);
}

/** Declares the flags about how an event repeats. */
export function addRepeatFlags(command: Command): Command {
  return command
    .option("--repeat <rule>", "weekly on mon, every 2 weeks, monthly on the last fri or FREQ=…")
    .option("--until <date>", "the last day on which it may repeat")
    .option("--count <number>", "how many times it takes place")
    .option("--except <date>", "a date on which it does not take place, repeatable", collect);
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
    throw usageError("--input - and --description-file - both read stdin", "give only one of them");
}

/**
 * Reads the flags, and the files they name.
 * @param options `input` is what --input has where it was read already; `missing` the flags that the command needs and that
 * are not given, for the error about a wrong time
 * @returns what the input says, if there is one, and what the flags say
 * @throws CliError usage
 */
export async function readEventFields(
  context: Pick<Context, "terminal" | "output" | "now" | "config">,
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
    options.input === undefined
      ? path && (await context.terminal.input.json(path, "--input"))
      : options.input;
  const input = given === undefined ? null : readEventInput(given, "--input");
  for (const text of input?.notes ?? []) context.output.note(text);
  const read = input === null ? [] : [input.patch];
  const texts = { title, category, location, url, description: await readDescription(context, typed) };
  checkPatch(texts);
  const times = await readTimeFlags(context, typed, options.missing?.(read) ?? []);
  const flags: TypedPatch = {
    ...texts,
    ...times,
    by,
    label: label === undefined ? undefined : { value: label, source: typed.labelSource ?? "--label" },
    attendees: namedValues(typed.attendee, "--attendee"),
    addAttendees: namedValues(typed.addAttendee, "--add-attendee"),
    removeAttendees: namedValues(typed.removeAttendee, "--remove-attendee"),
  };
  return [...read, { ...flags, ...clearedFields(typed.clear, { flags, input }) }];
}

/** The fields that `--clear` can name. */
export const CLEARABLE = ["description", "location", "url", "attendees", "start", "end"] as const;

/** What `--clear` says. @throws CliError usage for a field that cannot be cleared, or that has a new value */
function clearedFields(
  names: readonly string[] = [],
  { flags, input }: { readonly flags: TypedPatch; readonly input: EventInput | null },
): TypedPatch {
  const attendees = flags.attendees ?? input?.patch.attendees;
  const given = { ...flags, attendees, end: flags.end ?? flags.duration };
  const fields = names.map((name) => {
    const field = CLEARABLE.find((each) => each === name);
    if (field === undefined)
      throw usageError(`--clear: "${name}" cannot be cleared`, `fields: ${CLEARABLE.join(", ")}`);
    if (given[field] !== undefined)
      throw usageError(`--clear ${field}: a new value is given too`, "use only one of them");
    return [field, field === "attendees" ? [] : null];
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
  { terminal }: Pick<Context, "terminal">,
  { description, descriptionFile }: EventFlags,
): Promise<string | undefined> {
  if (descriptionFile === undefined) return description;
  if (description !== undefined)
    throw usageError("give either --description or --description-file, not both");
  return terminal.input.text(descriptionFile, "--description-file");
}

/** Resolves names of labels and members of one calendar. Each list is read once, when first needed. */
export interface RelatedResolver {
  /**
   * Composite id; null for a label of an output that this calendar does not have.
   * @throws CliError not_found with the candidates for any other
   */
  labelId(named: Named): Promise<string | null>;
  /**
   * Composite ids; `me` is the current user.
   * @param others users who may be named in addition to the members
   * @throws CliError not_found with the candidates
   */
  attendeeIds(
    named: readonly Named[] | undefined,
    others?: readonly User[],
  ): Promise<readonly string[] | undefined>;
  members(): Promise<readonly User[]>;
  /** Every label and member. */
  readAll(): Promise<{ readonly labels: readonly Label[]; readonly members: readonly User[] }>;
  /** What was read so far. */
  resources(): RelatedResources;
}

/**
 * The label that an input names; undefined without one, and, with a note, where a label of an output is not in this calendar.
 * @param instead what happens then, for the note
 */
export async function chosenLabelId(
  { note }: Pick<Context["output"], "note">,
  { label, resolver }: { readonly label: Named | undefined; readonly resolver: RelatedResolver },
  instead: string,
): Promise<string | undefined> {
  if (label === undefined) return undefined;
  const id = await resolver.labelId(label);
  if (id === null) note(`--input: this calendar has no label "${label.value}": ${instead}`);
  return id ?? undefined;
}

/** The resolver of each calendar, so that its labels and members are read once. */
export function createResolvers(context: Pick<Context, "api">): (calendarId: string) => RelatedResolver {
  const resolvers = new Map<string, RelatedResolver>();
  return (calendarId) => {
    const resolver = resolvers.get(calendarId) ?? createRelatedResolver(context, calendarId);
    resolvers.set(calendarId, resolver);
    return resolver;
  };
}

/** Nothing is read before a name is resolved, nor for an empty list of attendees. */
export function createRelatedResolver({ api }: Pick<Context, "api">, calendarId: string): RelatedResolver {
  let labels: readonly Label[] | undefined;
  let members: readonly User[] | undefined;
  let me: User | undefined;
  const readLabels = async () => {
    labels ??= await (await api()).listLabels(calendarId);
    return labels;
  };
  const readMembers = async () => {
    members ??= await (await api()).listMembers(calendarId);
    return members;
  };
  return {
    members: readMembers,
    readAll: async () => ({ labels: await readLabels(), members: await readMembers() }),
    async labelId({ value, source, printed }) {
      const all = await readLabels();
      if (printed !== undefined) return findPrintedLabel(printed, all)?.id ?? null;
      return resolveLabel(value, all, { calendarId, source }).id;
    },
    async attendeeIds(named, others = []) {
      if (named === undefined || named.length === 0) return named && [];
      const all = await readMembers();
      if (named.some(({ value }) => value === "me")) me ??= await (await api()).getCurrentUser();
      const further = others.filter(({ id }) => all.every((member) => member.id !== id));
      return resolveAttendees(named, [...all, ...further], { me: me?.id ?? null, calendarId });
    },
    resources: () => ({
      labels: labels ?? [],
      users: [...(members ?? []), ...(me === undefined ? [] : [me])],
    }),
  };
}
