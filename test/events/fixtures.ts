import fc from "fast-check";
import type { Event, User } from "../../contract/shapes.js";
import { CliError } from "../../src/errors.js";
import type { TypedTimes as ReadTimes } from "../../src/events/patch.js";
import { parseDateInput, parseDuration, parseTimeZone } from "../../src/time/dates.js";

export function userOf(id: string, name: string | null = null): User {
  return { id, type: "user", name, description: null, image_url: null };
}

/** An hour in Tokyo on 21 November 2026, from 15:00. */
export function eventOf(fields: Partial<Event> = {}): Event {
  return {
    id: "e1",
    calendar_id: "cal",
    category: "schedule",
    title: "Review",
    all_day: false,
    start_at: "2026-11-21T06:00:00.000Z",
    start_timezone: "Asia/Tokyo",
    end_at: "2026-11-21T07:00:00.000Z",
    end_timezone: "Asia/Tokyo",
    recurrences: [],
    description: null,
    location: null,
    url: null,
    created_at: "2026-11-01T00:00:00.000Z",
    updated_at: "2026-11-01T00:00:00.000Z",
    creator: userOf("cal,1"),
    label: { id: "cal,1", number: 1, name: "", color: "#2ecc87" },
    attendees: [],
    series_id: null,
    ...fields,
  };
}

/** 21 and 22 November 2026. */
export function allDayOf(fields: Partial<Event> = {}): Event {
  return eventOf({
    all_day: true,
    start_at: "2026-11-21T00:00:00.000Z",
    start_timezone: "UTC",
    end_at: "2026-11-23T00:00:00.000Z",
    end_timezone: "UTC",
    ...fields,
  });
}

export function keepOf(fields: Partial<Event> = {}): Event {
  return eventOf({
    category: "keep",
    start_at: null,
    start_timezone: null,
    end_at: null,
    end_timezone: null,
    ...fields,
  });
}

/** The CliError that an action throws; any other error is rethrown. */
export function failureOf(action: () => unknown): CliError {
  try {
    action();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("expected the action to fail");
}

export const anyZone: fc.Arbitrary<string> = fc.constantFrom("UTC", ...Intl.supportedValuesOf("timeZone"));

/** Instants of the years 1973 to 2100, in milliseconds: the last offset with seconds ended in 1972. */
export const anyInstant: fc.Arbitrary<number> = fc.integer({
  min: Date.UTC(1973, 0, 1),
  max: Date.UTC(2100, 0, 1),
});

/** `YYYY-MM-DD` of the same years. */
export const anyDate: fc.Arbitrary<string> = anyInstant.map((instant) =>
  new Date(instant).toISOString().slice(0, 10),
);

/** Time flags as typed. */
export interface TypedTimes {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly duration?: string | undefined;
  readonly startTimezone?: string | undefined;
  readonly endTimezone?: string | undefined;
}

/** Flags with their times parsed as the commands do it. */
export function parsed<T extends TypedTimes>(
  flags: T,
  zone: string,
): Omit<T, "start" | "end" | "duration"> & Pick<ReadTimes, "start" | "end" | "duration"> {
  const { start, end, duration, ...rest } = flags;
  const startTimezone = flags.startTimezone && parseTimeZone(flags.startTimezone, "--start-timezone");
  const endTimezone = flags.endTimezone && parseTimeZone(flags.endTimezone, "--end-timezone");
  return {
    ...rest,
    start:
      start === undefined
        ? undefined
        : parseDateInput(start, { source: "--start", zone: startTimezone ?? zone }),
    end: end === undefined ? undefined : parseDateInput(end, { source: "--end", zone: endTimezone ?? zone }),
    duration: duration === undefined ? undefined : parseDuration(duration, "--duration"),
  };
}
