import * as v from "valibot";
import { DAYS_MAX, DAYS_MIN } from "../../contract/limits.js";
import { type Route, UPCOMING_QUERY } from "../../contract/routes.js";
import { isTimeZone } from "../../contract/time-zone.js";
import { badRequest } from "./problem-error.js";

/** The query parameters of the contract, read. */
export interface Query {
  readonly include: ReadonlySet<string>;
  /** IANA name. */
  readonly timezone: string;
  readonly days: number;
}

/**
 * Reads the parameters that a route takes and leaves others alone.
 * @throws ProblemError 400 with every parameter that is wrong
 */
export function parseQuery({ include, query }: Route, search: URLSearchParams): Query {
  const errors: Record<string, string[]> = {};
  const read = <T>(name: string, parse: (text: string) => T | null, rule: string): T | null => {
    const [text, ...more] = search.getAll(name);
    const isArray = more.length > 0 || [...search.keys()].some((key) => key.startsWith(`${name}[`));
    if (text === undefined && !isArray) return null;
    const value = isArray ? null : parse(text ?? "");
    if (value === null) errors[name] = [`must be one ${rule}`];
    return value;
  };
  const { timezone, days } = UPCOMING_QUERY;
  const result = {
    include:
      (include && read("include", (text) => readList(text, include), `list of ${include.join(",")}`)) ??
      new Set<string>(),
    timezone:
      (query?.["timezone"] && read("timezone", readTimeZone, "timezone name such as Asia/Tokyo")) ??
      v.getDefault(timezone.schema),
    days:
      (query?.["days"] && read("days", readDays, `whole number from ${DAYS_MIN} to ${DAYS_MAX}`)) ??
      v.getDefault(days.schema),
  };
  if (Object.keys(errors).length > 0) throw badRequest(errors);
  return result;
}

function readList(text: string, allowed: readonly string[]): ReadonlySet<string> | null {
  const items = text.split(",");
  return items.every((item) => allowed.includes(item)) ? new Set(items) : null;
}

function readTimeZone(text: string): string | null {
  return isTimeZone(text) ? text : null;
}

function readDays(text: string): number | null {
  if (!/^\d{1,9}$/.test(text)) return null;
  const days = v.safeParse(UPCOMING_QUERY.days.schema, Number(text));
  return days.success ? days.output : null;
}
