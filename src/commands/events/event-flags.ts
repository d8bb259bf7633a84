import type { Command } from "commander";
import { type EventInput, readEventInput } from "../../calendar/event-input.js";
import type { KnownRelated } from "../../calendar/event-view.js";
import { resolveAttendees, resolveLabel } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import type { Label, User } from "../../contract/shapes.js";
import { usageError } from "../../errors.js";

/** The flags that `events create` and `events update` share, as typed. */
export interface EventFieldFlags {
  readonly title?: string;
  readonly category?: string;
  readonly start?: string;
  readonly end?: string;
  readonly duration?: string;
  readonly allDay?: boolean;
  readonly startTimezone?: string;
  readonly endTimezone?: string;
  readonly description?: string;
  readonly descriptionFile?: string;
  readonly location?: string;
  readonly url?: string;
  readonly label?: string;
  readonly attendee?: readonly string[];
  readonly input?: string;
}

/** Declares the flags on a command. */
export function addEventFieldFlags(command: Command): Command {
  return command
    .option("--title <text>", "title, up to 50 characters")
    .option("--category <schedule|keep>", "schedule or keep")
    .option("--start <time>", "2026-11-21T15:00, or 2026-11-21 with --all-day")
    .option("--end <time>", "end; of an all-day event its last day")
    .option("--duration <length>", "90m, 1h30m or 2d, in place of --end")
    .option("--all-day", "whole days")
    .option("--start-timezone <zone>", "zone of the start, such as Asia/Tokyo (default: --timezone)")
    .option("--end-timezone <zone>", "zone of the end (default: --timezone)")
    .option("--description <text>", "description, up to 10,000 characters")
    .option("--description-file <path|->", "read the description from a file, - for stdin")
    .option("--location <text>", "location, up to 100 characters")
    .option("--url <url>", "URL")
    .option("--label <number|id|name>", "label")
    .option("--attendee <id|name|me>", "attendee, repeatable", collect)
    .option("--input <path|->", "one event as JSON, in the shape that -o json prints; flags win over it");
}

/** Gathers the values of a flag that may be given several times. */
export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

/** Flags that go into a draft as they were typed. */
const DRAFT_FLAGS = [
  "title",
  "category",
  "start",
  "end",
  "duration",
  "allDay",
  "startTimezone",
  "endTimezone",
  "description",
  "location",
  "url",
] as const;

type DraftFlags = Pick<EventFieldFlags, (typeof DRAFT_FLAGS)[number]>;

/** What the flags name, with files and stdin read. */
export interface EventFields {
  readonly flags: DraftFlags;
  /** As typed, or as the input names it. */
  readonly label: NamedValue | undefined;
  readonly attendees: NamedValues | undefined;
  readonly input: EventInput | null;
}

/** Reads `--input` and `--description-file`. @throws CliError usage */
export async function readEventFields(
  context: Pick<Context, "input" | "note">,
  typed: EventFieldFlags,
): Promise<EventFields> {
  const { descriptionFile, label, attendee, input: inputPath } = typed;
  if (descriptionFile === "-" && inputPath === "-") {
    throw usageError("stdin can be read once: give either --input - or --description-file -");
  }
  const input =
    inputPath === undefined
      ? null
      : readEventInput(await context.input.json(inputPath, "--input"), "--input");
  for (const text of input?.notes ?? []) context.note(text);
  return {
    flags: { ...pickDraftFlags(typed), ...(await readDescription(context, typed)) },
    label: namedValue(label, "--label") ?? namedValue(input?.label, "--input: label"),
    attendees: namedValues(attendee, "--attendee") ?? namedValues(input?.attendees, "--input: attendees"),
    input,
  };
}

/** The options of a command hold its global flags, too. */
function pickDraftFlags(typed: EventFieldFlags): DraftFlags {
  return Object.fromEntries(DRAFT_FLAGS.filter((name) => name in typed).map((name) => [name, typed[name]]));
}

async function readDescription(
  { input }: Pick<Context, "input">,
  { description, descriptionFile }: EventFieldFlags,
): Promise<{ readonly description?: string }> {
  if (descriptionFile === undefined) return {};
  if (description !== undefined)
    throw usageError("give either --description or --description-file, not both");
  const text = await input.text(descriptionFile, "--description-file");
  return { description: text.replace(/\r?\n$/, "") };
}

function namedValue(value: string | undefined, source: string): NamedValue | undefined {
  return value === undefined ? undefined : { value, source };
}

/** A value and where it came from. */
export interface NamedValue {
  readonly value: string;
  /** Names it in messages. */
  readonly source: string;
}

export interface NamedValues {
  readonly values: readonly string[];
  /** Names them in messages. */
  readonly source: string;
  /** Who may be meant besides the members. */
  readonly others: readonly User[];
}

/** Nothing where there is no value. */
export function namedValues(
  values: readonly string[] | undefined,
  source: string,
  others: readonly User[] = [],
): NamedValues | undefined {
  return values === undefined ? undefined : { values, source, others };
}

/** Finds labels and members of one calendar by name; each list is read once, and only when it is needed. */
export interface RelatedFinder {
  /** Composite id. @throws CliError not_found with the candidates */
  labelId(named: NamedValue): Promise<string>;
  /** Composite ids; `me` stands for the current user. @throws CliError not_found with the candidates */
  attendeeIds(named: NamedValues | undefined): Promise<readonly string[] | undefined>;
  /** What was read on the way. */
  known(): KnownRelated;
}

export function createRelatedFinder({ api }: Pick<Context, "api">, calendarId: string): RelatedFinder {
  let labels: readonly Label[] | undefined;
  let members: readonly User[] | undefined;
  let me: User | undefined;
  return {
    async labelId({ value, source }) {
      labels ??= await (await api()).listLabels(calendarId);
      return resolveLabel(value, labels, { calendarId, source }).id;
    },
    async attendeeIds(named) {
      if (named === undefined) return undefined;
      const { values, source, others } = named;
      if (values.length === 0) return [];
      const client = await api();
      members ??= await client.listMembers(calendarId);
      const all = members;
      if (values.includes("me")) me ??= await client.getCurrentUser();
      const further = others.filter(({ id }) => all.every((member) => member.id !== id));
      return resolveAttendees(values, [...all, ...further], { me: me?.id ?? null, calendarId, source });
    },
    known: () => ({ labels: labels ?? [], users: [...(members ?? []), ...(me === undefined ? [] : [me])] }),
  };
}
