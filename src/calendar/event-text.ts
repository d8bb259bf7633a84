import {
  COMMENT_MAX,
  codePointLength,
  DESCRIPTION_MAX,
  LOCATION_MAX,
  TITLE_MAX,
} from "../contract/limits.js";
import type { Category } from "../contract/shapes.js";
import { type CliError, usageError } from "../errors.js";

/** Texts the contract limits; undefined ones are not checked. */
export interface LimitedTexts {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly location?: string | undefined;
  readonly comment?: string | undefined;
}

const LIMITS = [
  { field: "title", max: TITLE_MAX, required: true },
  { field: "description", max: DESCRIPTION_MAX, required: false },
  { field: "location", max: LOCATION_MAX, required: false },
  { field: "comment", max: COMMENT_MAX, required: true },
] as const;

/**
 * Checks the contract's limits, counted in code points. Messages name the flag, or with `source` the field of
 * that input.
 * @throws CliError usage @see contract section 8
 */
export function checkText(texts: LimitedTexts, source?: string): void {
  for (const { field, max, required } of LIMITS) {
    const text = texts[field];
    if (text === undefined) continue;
    const name = nameOf(field, source);
    if (required && text === "") throw usageError(`${name} is empty`, `write 1 to ${max} characters`);
    const length = codePointLength(text);
    if (length > max) throw usageError(`${name} is ${length} characters long, at most ${max} are allowed`);
  }
}

function nameOf(field: keyof LimitedTexts, source: string | undefined): string {
  if (source !== undefined) return `${source}: ${field}`;
  return field === "comment" ? "the comment" : `--${field}`;
}

/** @throws CliError usage for anything but `schedule` and `keep` */
export function parseCategory(text: string, source: string): Category {
  if (text === "schedule" || text === "keep") return text;
  throw usageError(`${source}: "${text}" is no category`, "write schedule or keep");
}

/** What is known of an event when it is asked which times it still needs. */
export interface TimesGiven {
  /** False where an event without times would do. */
  readonly needed: boolean;
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
}

/** The flags that would give the missing times, as messages name them. */
export function missingTimes({ needed, hasStart, hasEnd }: TimesGiven): readonly string[] {
  if (!needed) return [];
  return [...(hasStart ? [] : ["--start"]), ...(hasEnd ? [] : ["--end or --duration"])];
}

/** The usage error that names every missing flag at once. */
export function missingFlags(flags: readonly string[], hint?: string): CliError {
  return usageError(`missing ${flags.join(", ")}`, hint);
}
