import { isIdempotencyKey } from "../../contract/extensions.js";
import {
  codePointLength,
  MAX_COMMENT,
  MAX_DESCRIPTION,
  MAX_LOCATION,
  MAX_TITLE,
} from "../../contract/limits.js";
import { CATEGORIES, type Category, type ContentField } from "../../contract/shapes.js";
import { emptyValueError, usageError } from "../errors.js";
import type { DateInput, DurationInput } from "../time/dates.js";
import type { Named } from "./names.js";

/** A field that an event may be without. */
export type ClearableField = Exclude<ContentField, "category" | "title" | "label" | "recurrences">;

/** One that is a text. */
export type TextField = Exclude<ClearableField, "attendees">;

/** What any input says of an event but its times. A field is absent, set, or null to clear it. @template Ref how a label and people are named */
interface PatchedFields<Ref> extends Readonly<Partial<Record<ContentField, unknown>>> {
  readonly category?: Category | undefined;
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly location?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly label?: Ref | undefined;
  /** An empty list means no attendees. */
  readonly attendees?: readonly Ref[] | undefined;
  /** RFC 5545 lines of a new series. */
  readonly recurrences?: readonly string[] | undefined;
}

/** Times as a person types them. */
export interface TypedTimes {
  /** Messages name the flags. */
  readonly source?: undefined;
  readonly allDay?: boolean | undefined;
  readonly start?: DateInput | null | undefined;
  /** The last day of an all-day event. */
  readonly end?: DateInput | null | undefined;
  readonly duration?: DurationInput | undefined;
  /** How far an event is moved, by the clock of its own zone; negative for earlier. Only an event that exists. */
  readonly by?: DurationInput | undefined;
  /** IANA names. */
  readonly startTimezone?: string | undefined;
  readonly endTimezone?: string | undefined;
}

/** Times as JSON and files have them: date and time with an offset. */
export interface WrittenTimes {
  /** How messages name the object that has them: `--input`. */
  readonly source: string;
  readonly allDay?: boolean | undefined;
  /** Of an all-day event midnight of its first day, in any offset. */
  readonly start?: string | undefined;
  /** Of an all-day event the midnight after its last day, or that of its only day. */
  readonly end?: string | undefined;
  /** IANA names. */
  readonly startTimezone?: string | undefined;
  readonly endTimezone?: string | undefined;
  /** Whether it is a series as it is printed: its rule may begin before `start`. */
  readonly isSeries?: boolean | undefined;
}

/** What a person says of an event: by flags, answers or a document. */
export type TypedPatch<Ref = Named> = PatchedFields<Ref> &
  TypedTimes & {
    readonly addAttendees?: readonly Ref[] | undefined;
    readonly removeAttendees?: readonly Ref[] | undefined;
  };

/** What JSON or an entry of a file says of an event. */
export type WrittenPatch<Ref = Named> = PatchedFields<Ref> & WrittenTimes;

/** What one input says of an event. */
export type EventPatch<Ref = Named> = TypedPatch<Ref> | WrittenPatch<Ref>;

/** What a reader of patches gives: it names each field but times, so that it forgets none. */
export type ReadFields = Required<PatchedFields<Named>>;

export function isTyped<P extends { readonly source?: string | undefined }>(
  patch: P,
): patch is Extract<P, TypedTimes> {
  return patch.source === undefined;
}

/** Whether a patch says nothing. */
export function isEmptyPatch({ source: _, ...fields }: EventPatch<unknown>): boolean {
  return Object.values(fields).every((value) => value === undefined);
}

/** What the last of some patches says of a field; undefined if none names it. */
export function said<P, K extends keyof P>(patches: readonly P[], field: K): P[K] | undefined {
  return patches.findLast((patch) => patch[field] !== undefined)?.[field];
}

/** The same patch without the label and the people that it names. */
export function withoutNames(patch: EventPatch<unknown>): EventPatch<never> {
  const others = { ...patch, label: undefined, attendees: undefined };
  return isTyped(others) ? { ...others, addAttendees: undefined, removeAttendees: undefined } : others;
}

/** Texts with a limit in the contract; undefined and null ones are not checked. */
export interface LimitedTexts extends Pick<PatchedFields<unknown>, "title" | "description" | "location"> {
  readonly comment?: string | undefined;
}

/** The texts that the contract limits, in code points. @see contract section 8 */
export const TEXT_LIMITS = [
  { field: "title", max: MAX_TITLE, required: true },
  { field: "description", max: MAX_DESCRIPTION, required: false },
  { field: "location", max: MAX_LOCATION, required: false },
  { field: "comment", max: MAX_COMMENT, required: true },
] as const;

/** Checks the texts of a patch, which needs no event. @throws CliError usage */
export function checkPatch(patch: EventPatch<unknown>): void {
  checkText(patch, patch.source);
  if (isTyped(patch) && patch.url === "") throw emptyValueError("--url");
}

/**
 * Checks the contract's limits, counted in code points. Messages name the flag, or the field of `source`.
 * @throws CliError usage @see contract section 8
 */
export function checkText(texts: LimitedTexts, source?: string): void {
  for (const { field, max, required } of TEXT_LIMITS) {
    const text = texts[field] ?? undefined;
    if (text === undefined) continue;
    const name = nameOf(field, source);
    if (required && text === "") throw usageError(`${name} is empty`, `write 1 to ${max} characters`);
    if (field === "title") checkTitle(text, name);
    const length = codePointLength(text);
    if (length > max) throw usageError(`${name} is ${length} characters long, at most ${max} are allowed`);
  }
}

function checkTitle(title: string, name: string): void {
  if (isBlank(title)) throw usageError(`${name} is blank`, "write something that can be seen");
  if (/[\r\n]$/.test(title)) throw usageError(`${name} ends with a line break`, "a title is one line");
}

function nameOf(field: keyof LimitedTexts, source: string | undefined): string {
  if (source !== undefined) return `${source}: ${field}`;
  return field === "comment" ? "the comment" : `--${field}`;
}

/** Whether nobody sees a text: it is empty, or all of it is space and characters without a shape, such as U+200B. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);
}

/** @throws CliError usage for anything but `schedule` and `keep` */
export function parseCategory(text: string, source: string): Category {
  const category = CATEGORIES.find((name) => name === text);
  if (category === undefined)
    throw usageError(`${source}: "${text}" is not a category`, "write schedule or keep");
  return category;
}

/** @param source how messages name it. @throws CliError usage for what cannot be the key of a create */
export function checkKey(key: string | undefined, source = "--key"): void {
  if (key === "") throw emptyValueError(source);
  if (key === undefined || isIdempotencyKey(key)) return;
  const hint = "a key is 1 to 255 printable characters of ASCII, without a space at either end";
  throw usageError(`${source}: invalid idempotency key`, hint);
}
