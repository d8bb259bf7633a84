import type { Category, EventDraft } from "../../contract/shapes.js";
import {
  asUsageError,
  type CliError,
  emptyValueError,
  joinUsageErrors,
  missingFlagsError,
} from "../errors.js";
import type { DurationInput } from "./dates.js";
import type { EventInput } from "./event-input.js";
import { type DraftTimes, EMPTY_SPAN, type EventSpan } from "./event-span.js";
import { checkText, type EventTexts, missingTimes } from "./event-text.js";
import {
  applyInputTimes,
  applyTimeFlags,
  type GivenFlags,
  planTimes,
  type TimeFlags,
  timeFlagsGiven,
} from "./event-times.js";
import { fromFirstSlot } from "./series.js";

/** The flags of `events create` and `events update`. */
export type EventFlags = TimeFlags & EventTexts;

/** A new event without what depends on its calendar. */
export type EventContent = Omit<EventDraft, "label_id" | "attendee_ids">;

/** What is not said about a new event. */
interface DraftDefaults {
  /** An IANA name. */
  readonly zone: string;
  /** How long a timed event is without an end. */
  readonly length: DurationInput;
}

const CREATE_HINT = 'for example: calctl events create --title Dentist --start "tomorrow 15:00"';

/**
 * The content of a new event from flags and an input object; a flag wins over the same field of the input. Flags
 * about times change the times of the input: `--start` and `--end` replace only that time, `--duration` the end,
 * `--all-day` takes the days of the input's times (in the input's zones), and `--no-all-day` drops the days of an
 * all-day input, so that new times are needed. Only zone flags change the zones and keep the instants.
 * @param given the input object @param defaults the chosen zone, and how long a timed event is without an end
 * @throws CliError usage, naming all missing flags at once
 */
export function draftForCreate(
  flags: EventFlags,
  given: EventInput | null,
  defaults: DraftDefaults,
): EventContent {
  checkFlagTexts(flags);
  const input = given?.isSeries === true ? fromFirstSlot(given) : given;
  const title = flags.title ?? input?.title;
  const missing = missingForCreate(flags, input);
  if (title === undefined || missing.length > 0) {
    const complete = missing.every((flag) => flag === "--title");
    const wrong = wrongTimes(() => {
      const { zone } = defaults;
      if (complete) timesForCreate(flags, input, defaults);
      else if (flags.start !== undefined) applyTimeFlags(inputSpan(input, zone), flags, zone);
    });
    throw joinUsageErrors([...wrong, missingFlagsError(missing, CREATE_HINT)]);
  }
  return {
    category: categoryOf(flags, input),
    title,
    ...timesForCreate(flags, input, defaults),
    description: flags.description ?? input?.description,
    location: flags.location ?? input?.location,
    url: flags.url ?? input?.url,
    recurrences: input?.recurrences,
  };
}

function timesForCreate(flags: EventFlags, input: EventInput | null, defaults: DraftDefaults): DraftTimes {
  const category = categoryOf(flags, input);
  const { zone, length } = defaults;
  return planTimes({ zone, length, ...flags, category }, inputSpan(input, zone));
}

function inputSpan(input: EventInput | null, zone: string): EventSpan {
  return input === null ? EMPTY_SPAN : applyInputTimes(EMPTY_SPAN, input, zone);
}

/** What is wrong with the times that are given. */
function wrongTimes(read: () => void): readonly CliError[] {
  try {
    read();
    return [];
  } catch (error) {
    return [asUsageError(error)];
  }
}

/**
 * The missing flags of a new event: `--title`, `--start`. A schedule needs a start, a keep only if anything about times
 * is given.
 */
export function missingForCreate(
  flags: Pick<EventFlags, "title" | "category" | "allDay"> & GivenFlags<TimeFlags>,
  input: EventInput | null = null,
): readonly string[] {
  const title = flags.title ?? input?.title;
  // The times of an all-day input are dates, of no use to a timed event.
  const times = flags.allDay === false && input?.all_day === true ? null : input;
  const start = flags.start ?? times?.start_at;
  const end = flags.end ?? flags.duration ?? times?.end_at;
  const named = timeFlagsGiven(flags).length > 0 || start !== undefined || end !== undefined;
  const missing = missingTimes({
    needed: categoryOf(flags, input) === "schedule" || named,
    hasStart: start !== undefined,
    hasEnd: true,
  });
  return [...(title === undefined ? ["--title"] : []), ...missing];
}

function categoryOf(flags: Pick<EventFlags, "category">, input: EventInput | null): Category {
  return flags.category ?? input?.category ?? "schedule";
}

/** Checks the texts of flags. @throws CliError usage */
export function checkFlagTexts(flags: EventFlags): void {
  checkText(flags);
  if (flags.url === "") throw emptyValueError("--url");
}
