import type { Category, EventDraft } from "../contract/shapes.js";
import { usageError } from "../errors.js";
import type { EventInput } from "./event-input.js";
import { EMPTY_SPAN } from "./event-span.js";
import { checkText, missingFlags, missingTimes, parseCategory } from "./event-text.js";
import { applyInputTimes, namesTimes, planTimes, type TimeFlags } from "./event-times.js";

/** The flags of `events create` and `events update`: texts as typed. */
export interface EventFlags extends TimeFlags {
  readonly title?: string | undefined;
  readonly category?: string | undefined;
  readonly description?: string | undefined;
  readonly location?: string | undefined;
  readonly url?: string | undefined;
}

export interface CreateOptions {
  /** The chosen zone, in which times without an offset are read. */
  readonly zone: string;
}

/** What can be said of a new event before its calendar is known. */
export type EventContent = Omit<EventDraft, "label_id" | "attendee_ids">;

/**
 * The content of a new event from flags and an input object; a field's flag wins over the input's field. The input's times are
 * taken as they are when no flag is about times. Else the flags change them: `--start` or `--end` replaces that
 * time alone, `--duration` the end, `--all-day` takes the days the input's times fall on (in the input's zones)
 * and `--no-all-day` drops the days of an all-day input, so that new times are needed. Zone flags alone change
 * the zones and leave the instants.
 * @throws CliError usage, naming all missing flags at once
 */
export function draftForCreate(
  flags: EventFlags,
  input: EventInput | null,
  { zone }: CreateOptions,
): EventContent {
  checkFlagTexts(flags);
  const title = flags.title ?? input?.title;
  const missing = missingForCreate(flags, input);
  if (title === undefined || missing.length > 0) throw missingFlags(missing);
  const category = categoryOf(flags, input);
  const times = input === null ? EMPTY_SPAN : applyInputTimes(EMPTY_SPAN, input, zone);
  return {
    category,
    title,
    ...planTimes({ ...flags, category, zone }, times),
    description: flags.description ?? input?.description,
    location: flags.location ?? input?.location,
    url: flags.url ?? input?.url,
  };
}

/**
 * The flags without which no event can be made, as messages name them: `--title`, `--start`, `--end or --duration`.
 * A schedule needs times; a keep needs both as soon as anything about times is given.
 * @throws CliError usage when the category is none
 */
export function missingForCreate(flags: EventFlags, input: EventInput | null = null): readonly string[] {
  const title = flags.title ?? input?.title;
  // The days of an all-day event are no clock times.
  const times = flags.allDay === false && input?.all_day === true ? null : input;
  const allDay = flags.allDay ?? input?.all_day ?? false;
  const start = flags.start ?? times?.start_at;
  const end = flags.end ?? flags.duration ?? times?.end_at;
  const named = namesTimes(flags) || start !== undefined || end !== undefined;
  const missing = missingTimes({
    needed: categoryOf(flags, input) === "schedule" || named,
    hasStart: start !== undefined,
    hasEnd: end !== undefined || allDay,
  });
  return [...(title === undefined ? ["--title"] : []), ...missing];
}

function categoryOf(flags: EventFlags, input: EventInput | null): Category {
  if (flags.category !== undefined) return parseCategory(flags.category, "--category");
  return input?.category ?? "schedule";
}

/** Checks the texts that flags carry. @throws CliError usage */
export function checkFlagTexts(flags: EventFlags): void {
  checkText(flags);
  if (flags.url === "") throw usageError("--url is empty", "is a variable of the script unset?");
}
