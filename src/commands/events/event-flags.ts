import type { Command } from "commander";
import type { Category, Label, User } from "../../../contract/shapes.js";
import { type EventInput, patchOfInput, readEventInput } from "../../calendar/event-input.js";
import { CATEGORY_CHOICES } from "../../calendar/event-order.js";
import type { RelatedResources } from "../../calendar/event-view.js";
import {
  findPrintedLabel,
  type NamedValue,
  type PrintedLabel,
  resolveAttendees,
  resolveLabel,
} from "../../calendar/names.js";
import { collect } from "../../cli/global-flags.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import { checkPatch, type EventPatch, type TypedPatch } from "../../events/patch.js";
import { addStrictDatesFlag, readTimeFlags, type TypedTimeFlags } from "./date-flags.js";

/** The flags that `events create` and `events update` share, as typed. */
export interface EventFieldFlags extends TypedTimeFlags {
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
  /** Of `events create`: how the event repeats. */
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
  "repeat",
  "until",
  "count",
  "except",
  "copies",
] as const satisfies readonly (keyof EventFieldFlags)[];

/** Whether any flag says something about the event. */
export function hasContentFlags(flags: EventFieldFlags): boolean {
  return FIELD_FLAGS.some((name) => name !== "strictDates" && flags[name] !== undefined);
}

/** The flags of a new event as the words of a command line. */
export function flagWords(flags: EventFieldFlags): readonly string[] {
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

/** What the flags say, with dates parsed, and files and stdin read. */
export interface EventFields {
  readonly flags: TypedPatch<never>;
  /** As typed, or as in the input. */
  readonly label: NamedValue | PrintedLabel | undefined;
  readonly attendees: NamedValues | undefined;
  readonly input: EventInput | null;
}

/** @throws CliError usage when two flags read stdin */
export function checkStdin({ descriptionFile, input }: EventFieldFlags): void {
  if (descriptionFile === "-" && input === "-")
    throw usageError("--input - and --description-file - both read stdin", "give only one of them");
}

/**
 * Reads the flags, and the files they name.
 * @param options `input` is what --input has where it was read already; `missing` the flags that the command needs and that
 * are not given, for the error about a wrong time
 * @throws CliError usage
 */
export async function readEventFields(
  context: Pick<Context, "terminal" | "output" | "now" | "config">,
  typed: EventFieldFlags,
  options: {
    readonly input?: unknown;
    readonly missing?: (input: EventInput | null) => readonly string[];
  } = {},
): Promise<EventFields> {
  const { title, category, location, url, label, attendee, input: path } = typed;
  checkStdin(typed);
  const given =
    options.input === undefined
      ? path && (await context.terminal.input.json(path, "--input"))
      : options.input;
  const input = given === undefined ? null : readEventInput(given, "--input");
  for (const text of input?.notes ?? []) context.output.note(text);
  const texts = { title, category, location, url, description: await readDescription(context, typed) };
  checkPatch(texts);
  const fields = {
    flags: { ...texts, ...(await readTimeFlags(context, typed, options.missing?.(input) ?? [])) },
    label: namedValue(label, typed.labelSource ?? "--label"),
    attendees: namedValues(attendee, "--attendee"),
    input: null,
  };
  return input === null ? fields : withInput(fields, input);
}

/** The fields, and those of an input over which they win. */
export function withInput(fields: EventFields, input: EventInput): EventFields {
  const inputLabel =
    typeof input.label === "object" ? input.label : namedValue(input.label, "--input: label");
  const { label = inputLabel, attendees = namedValues(input.attendees, "--input: attendees") } = fields;
  return { ...fields, label, attendees, input };
}

/** What an input says and what flags say, in this order, without labels and attendees, which are not resolved yet. */
export function patchesOf<Ref>({
  input,
  flags,
}: {
  readonly input: EventInput | null;
  readonly flags: EventPatch<Ref>;
}): readonly EventPatch<Ref>[] {
  return [...(input === null ? [] : [patchOfInput(input, "--input")]), flags];
}

async function readDescription(
  { terminal }: Pick<Context, "terminal">,
  { description, descriptionFile }: EventFieldFlags,
): Promise<string | undefined> {
  if (descriptionFile === undefined) return description;
  if (description !== undefined)
    throw usageError("give either --description or --description-file, not both");
  return terminal.input.text(descriptionFile, "--description-file");
}

function namedValue(value: string | undefined, source: string): NamedValue | undefined {
  return value === undefined ? undefined : { value, source };
}

export interface NamedValues {
  readonly values: readonly string[];
  /** How messages name where they came from. */
  readonly source: string;
  /** Users who may be named in addition to the members. */
  readonly others: readonly User[];
}

/** Undefined when there are no values. */
export function namedValues(
  values: readonly string[] | undefined,
  source: string,
  others: readonly User[] = [],
): NamedValues | undefined {
  return values === undefined ? undefined : { values, source, others };
}

/** Resolves names of labels and members of one calendar. Each list is read once, when first needed. */
export interface RelatedResolver {
  /** Composite id. @throws CliError not_found with the candidates */
  labelId(named: NamedValue): Promise<string>;
  /** Composite id; null where this calendar has no such label. */
  printedLabelId(label: PrintedLabel): Promise<string | null>;
  /** Composite ids; `me` is the current user. @throws CliError not_found with the candidates */
  attendeeIds(named: NamedValues | undefined): Promise<readonly string[] | undefined>;
  members(): Promise<readonly User[]>;
  /** Every label and member. */
  readAll(): Promise<{ readonly labels: readonly Label[]; readonly members: readonly User[] }>;
  /** What was read so far. */
  resources(): RelatedResources;
}

/**
 * The label of `--label` or `--input`; undefined without one, and, with a note, where the label of the input is not in
 * this calendar. @param instead what happens then, for the note
 */
export async function chosenLabelId(
  { note }: Pick<Context["output"], "note">,
  { label, resolver }: Pick<EventFields, "label"> & { readonly resolver: RelatedResolver },
  instead: string,
): Promise<string | undefined> {
  if (label === undefined) return undefined;
  if (!("id" in label)) return resolver.labelId(label);
  const id = await resolver.printedLabelId(label);
  if (id === null) note(`--input: this calendar has no label "${label.name || label.number}": ${instead}`);
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
    printedLabelId: async (label) => findPrintedLabel(label, await readLabels())?.id ?? null,
    async labelId({ value, source }) {
      return resolveLabel(value, await readLabels(), { calendarId, source }).id;
    },
    async attendeeIds(named) {
      if (named === undefined) return undefined;
      const { values, source, others } = named;
      if (values.length === 0) return [];
      const all = await readMembers();
      if (values.includes("me")) me ??= await (await api()).getCurrentUser();
      const further = others.filter(({ id }) => all.every((member) => member.id !== id));
      return resolveAttendees(values, [...all, ...further], { me: me?.id ?? null, calendarId, source });
    },
    resources: () => ({
      labels: labels ?? [],
      users: [...(members ?? []), ...(me === undefined ? [] : [me])],
    }),
  };
}
