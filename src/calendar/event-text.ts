import { isIdempotencyKey } from "../../contract/extensions.js";
import {
  codePointLength,
  MAX_COMMENT,
  MAX_DESCRIPTION,
  MAX_LOCATION,
  MAX_TITLE,
} from "../../contract/limits.js";
import { CATEGORIES, type Category } from "../../contract/shapes.js";
import { emptyValueError, usageError } from "../errors.js";

/** What is said of an event beside its times; undefined where nothing is. */
export interface EventTexts {
  readonly category?: Category | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly location?: string | undefined;
  readonly url?: string | undefined;
}

/** Texts with a limit in the contract; undefined ones are not checked. */
export interface LimitedTexts extends Pick<EventTexts, "title" | "description" | "location"> {
  readonly comment?: string | undefined;
}

/** The texts that the contract limits, in code points. @see contract section 8 */
export const TEXT_LIMITS = [
  { field: "title", max: MAX_TITLE, required: true },
  { field: "description", max: MAX_DESCRIPTION, required: false },
  { field: "location", max: MAX_LOCATION, required: false },
  { field: "comment", max: MAX_COMMENT, required: true },
] as const;

/**
 * Checks the contract's limits, counted in code points. Messages name the flag, or the field of `source`.
 * @throws CliError usage @see contract section 8
 */
export function checkText(texts: LimitedTexts, source?: string): void {
  for (const { field, max, required } of TEXT_LIMITS) {
    const text = texts[field];
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

export interface GivenTimes {
  /** False for an event that may have no times. */
  readonly needed: boolean;
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
}

/** The flags for the missing times, as messages name them. */
export function missingTimes({ needed, hasStart, hasEnd }: GivenTimes): readonly string[] {
  if (!needed) return [];
  return [...(hasStart ? [] : ["--start"]), ...(hasEnd ? [] : ["--end or --duration"])];
}
