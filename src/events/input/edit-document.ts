import type { YAMLParseError } from "yaml";
import type { Event, Label, User } from "../../../contract/shapes.js";
import { type CliError, usageError } from "../../errors.js";
import { escapeJson, sanitizeLine } from "../../output/sanitize.js";
import { wrapMessage } from "../../output/table/text-width.js";
import type { Run } from "../../run/run.js";
import { parseTimeZone } from "../../time/dates.js";
import { formatTyped } from "../../time/zoned-time.js";
import { localizeEvent } from "../localized-event.js";
import { attendeeKey, labelKey, labelWord } from "../names.js";
import { parseCategory, type ReadFields, type TypedTimes } from "../patch.js";
import { namedValues, readTimeFlags } from "./event-flags.js";

/** An event as a YAML file for an editor, and back. Every value is a text: `title: yes` is the title "yes". */

const KEYS = [
  "title",
  "category",
  "all_day",
  "start",
  "end",
  "start_timezone",
  "end_timezone",
  "repeat",
  "location",
  "url",
  "label",
  "attendees",
  "description",
] as const;

type Key = (typeof KEYS)[number];
type TextKey = Exclude<Key, "attendees">;

/** What a person can edit. An empty text stands for nothing. */
export type EventDocument = Readonly<Record<TextKey, string>> & { readonly attendees: readonly string[] };

export interface DocumentOptions {
  /** Whether times are read in ISO 8601 only. */
  readonly strictDates: boolean;
  /** The zone in which times are shown and read. */
  readonly zone: string;
  readonly labels: readonly Label[];
  readonly members: readonly User[];
}

/** Times in the zone, without seconds where there are none; days of an all-day event, the last one included. */
export function documentOf(
  event: Event,
  { zone, labels, members }: Pick<DocumentOptions, "zone" | "labels" | "members">,
): EventDocument {
  const { calendar_id: calendarId, label, attendees } = event;
  const { start_local: start, end_local: end } = localizeEvent(event, zone);
  const known = [...members, ...attendees.filter(({ id }) => members.every((member) => member.id !== id))];
  return {
    title: event.title ?? "",
    category: event.category ?? "",
    all_day: String(event.all_day ?? false),
    start: start === null ? "" : formatTyped(start, zone),
    end: end === null ? "" : formatTyped(end, zone),
    start_timezone: event.start_timezone ?? "",
    end_timezone: event.end_timezone ?? "",
    repeat: ruleOf(event),
    location: event.location ?? "",
    url: event.url ?? "",
    label: label === null ? "" : labelWord(label, labels),
    attendees: attendees.map((attendee) => attendeeKey(attendee, known, calendarId)),
    description: event.description ?? "",
  };
}

/** The RRULE; empty without one. */
function ruleOf({ recurrences }: Event): string {
  return recurrences.find((line) => line.startsWith("RRULE:"))?.slice("RRULE:".length) ?? "";
}

/** The file: comments that say what can be written, and a line for each value. */
export async function renderDocument(
  event: EventDocument,
  { zone, strictDates, labels, members }: DocumentOptions,
): Promise<string> {
  const names = labels.map((label) => `${labelKey(label)} ${label.name || "(default)"}`);
  const comments: Partial<Record<Key, string>> = {
    category: "schedule or keep",
    start: `in ${zone}${strictDates ? "" : ", or words: tomorrow 3pm"}; all-day events have days, the last one included`,
    repeat: "weekly on mon, every 2 weeks, monthly on the last fri or FREQ=…",
    label: names.join(", "),
    attendees: `members: ${members.map((member) => describeMember(member, members)).join(", ")}`,
  };
  const lines = await Promise.all(
    KEYS.map(async (key) => {
      const comment = comments[key];
      return (comment === undefined ? "" : renderComment(comment, "# ")) + (await renderField(event, key));
    }),
  );
  return HEADER + lines.join("");
}

/** What names the member here, and the name where that is something else. */
function describeMember(member: User, members: readonly User[]): string {
  const [calendarId = ""] = member.id.split(",");
  const key = attendeeKey(member, members, calendarId);
  return member.name === null || member.name === key ? key : `${key} (${member.name})`;
}

const HEADER = `# Change what should change, save and close. Lines that are left out change
# nothing, an empty value clears a field, an empty file leaves all as it is.
`;

/** Columns of a comment. */
const COMMENT_WIDTH = 76;

/** Text as lines for the editor and the terminal that it was opened from. */
export function messageLines(text: string): readonly string[] {
  return wrapMessage(sanitizeLine(text), COMMENT_WIDTH);
}

/** Text as lines that begin with a mark. */
export function renderComment(text: string, mark: string): string {
  return messageLines(text)
    .map((line) => `${`${mark}${line}`.trimEnd()}\n`)
    .join("");
}

/** One key with its value as YAML that every editor leaves intact. */
async function renderField(event: EventDocument, key: Key): Promise<string> {
  const { Document, Scalar, visit } = await import("yaml");
  const document = new Document({ [key]: event[key] }, { schema: "failsafe" });
  visit(document, {
    Scalar(_key, node) {
      const text = String(node.value);
      if (needsEscapes(text)) node.type = Scalar.QUOTE_DOUBLE;
      else if (text.includes("\n")) node.type = Scalar.BLOCK_LITERAL;
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
  // What is left of these characters is in double quotes, where YAML has the escapes of JSON.
  return escapeJson(text);
}

/** Whether an editor could show the text wrongly, or change it. */
function needsEscapes(text: string): boolean {
  return escapeJson(text) !== text || /[\t\ufeff\ufffe\uffff]|[ \t]$/m.test(text) || /^[\s]|\n\n$/.test(text);
}

/**
 * What was saved; null for a file without values. Keys that are left out are as in `before`.
 * @throws CliError usage for what is not such a file
 */
export async function parseDocument(saved: string, before: EventDocument): Promise<EventDocument | null> {
  const yaml = await import("yaml");
  const document = yaml.parseDocument(saved, { schema: "failsafe", prettyErrors: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw usageError(describeSyntax(problem, saved), SYNTAX_HINT);
  const value: unknown = document.toJS();
  if (document.contents === null || value === "" || value === null) return null;
  if (typeof value !== "object" || Array.isArray(value))
    throw usageError("this is not an event", "write lines such as title: Lunch");
  const entries = Object.entries(value);
  const unknown = entries.find(([key]) => !isKey(key));
  if (unknown !== undefined)
    throw usageError(`an event has no "${unknown[0]}" here`, `the keys are ${KEYS.join(", ")}`);
  return { ...before, ...Object.fromEntries(entries.map(([key, field]) => [key, readField(key, field)])) };
}

const SYNTAX_HINT = "put a space after the colon, and quote values with colons, # or brackets";

function isKey(key: string): key is Key {
  return KEYS.some((known) => known === key);
}

function readField(key: string, value: unknown): string | readonly string[] {
  if (key !== "attendees") {
    if (typeof value === "string") return value;
    throw wrongValue(key, "one text; put it in quotes if it has colons or brackets");
  }
  if (value === "") return [];
  if (Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "")) return value;
  throw wrongValue(key, "a list, with each name on its own line after -");
}

function wrongValue(key: string, expected: string): CliError {
  return usageError(`${key} must be ${expected}`);
}

/** The line, and what the library says about it. Its number would be wrong as soon as this stands above it. */
function describeSyntax({ message, linePos }: YAMLParseError, saved: string): string {
  const [reason = ""] = message.split(/ at line|\n/);
  const line = linePos === undefined ? undefined : saved.split("\n")[linePos[0].line - 1];
  return line === undefined ? `not valid YAML: ${reason}` : `not valid YAML: ${line.trim()} (${reason})`;
}

/** The keys whose values differ. */
export function changedKeys(before: EventDocument, after: EventDocument): readonly Key[] {
  return KEYS.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}

/**
 * What was changed in a document, as a patch.
 * @param options.strictDates whether times are read in ISO 8601 only
 * @throws CliError usage for a value that is wrong
 */
export async function patchOfDocument(
  run: Run,
  {
    before,
    after,
    strictDates,
  }: { readonly before: EventDocument; readonly after: EventDocument; readonly strictDates: boolean },
): Promise<ReadFields & TypedTimes> {
  const changed = (key: TextKey) => (before[key] === after[key] ? undefined : after[key]);
  const label = changed("label");
  if (label === "") throw usageError("label is empty", "write one of the numbers or names above");
  const category = changed("category");
  const [start, end] = [changed("start"), changed("end")];
  const texts = {
    title: changed("title"),
    category: category === undefined ? undefined : parseCategory(category, "category"),
    description: nullIfEmpty(changed("description")),
    location: nullIfEmpty(changed("location")),
    url: nullIfEmpty(changed("url")),
  };
  const times = await readTimeFlags(run, { ...(start && { start }), ...(end && { end }), strictDates });
  return {
    ...texts,
    start: start === "" ? null : times.start,
    end: end === "" ? null : times.end,
    allDay: parseBoolean(changed("all_day")),
    startTimezone: parseZone(changed("start_timezone"), "start_timezone"),
    endTimezone: parseZone(changed("end_timezone"), "end_timezone"),
    label: label === undefined ? undefined : { value: label, source: "label" },
    recurrences: undefined,
    attendees: changedKeys(before, after).includes("attendees")
      ? namedValues(after.attendees, "attendees")
      : undefined,
  };
}

function nullIfEmpty(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}

function parseBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined || text === "true") return text === "true" || undefined;
  if (text === "false") return false;
  throw usageError(`all_day: "${text}" is not valid`, "write true or false");
}

function parseZone(name: string | undefined, source: string): string | undefined {
  return name === undefined ? undefined : parseTimeZone(name, source);
}

/**
 * The values that differ, as lines that begin with `- ` and `+ `, below a line with the key if only what follows it
 * differs. Equal lines at the beginning and the end of a value are left out.
 */
export async function describeChanges(
  before: EventDocument,
  after: EventDocument,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const key of changedKeys(before, after)) {
    const [old, current] = [await fieldLines(before, key), await fieldLines(after, key)];
    const start = commonStart(old, current);
    const end = commonStart(old.slice(start).reverse(), current.slice(start).reverse());
    if (start > 0) lines.push(`  ${old[0]}`);
    lines.push(...old.slice(start, old.length - end).map((line) => `- ${line}`));
    lines.push(...current.slice(start, current.length - end).map((line) => `+ ${line}`));
  }
  return lines;
}

/** How many lines at the beginning are equal. */
function commonStart(old: readonly string[], current: readonly string[]): number {
  const index = old.findIndex((line, number) => line !== current[number]);
  return index === -1 ? old.length : index;
}

async function fieldLines(event: EventDocument, key: Key): Promise<readonly string[]> {
  return (await renderField(event, key)).trimEnd().split("\n");
}
