import * as v from "valibot";

import type { FieldErrors } from "../../contract/problem.js";
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
export function parseQuery(route: Route, search: URLSearchParams): Query {
  const names = [...(route.include === undefined ? [] : ["include"]), ...Object.keys(route.query ?? {})];
  const errors: Record<string, string[]> = {};
  const given = (name: string, problem: (text: string) => string | null): string | null => {
    if (!names.includes(name)) return null;
    const [text, ...more] = search.getAll(name);
    const arrays = [...search.keys()].filter((key) => key.startsWith(`${name}[`));
    const wrong =
      more.length > 0 || arrays.length > 0
        ? "must be given once, as one value"
        : text === undefined
          ? null
          : problem(text);
    if (wrong !== null) errors[name] = [wrong];
    return text ?? null;
  };
  const include = given("include", (text) => includeProblem(text, route.include ?? []));
  const timezone = given("timezone", (text) =>
    isTimeZone(text) ? null : "must be a timezone name such as Asia/Tokyo",
  );
  const days = given("days", (text) =>
    readDays(text) === null ? "must be a whole number from 1 to 7" : null,
  );
  refuse(errors);
  return {
    include: new Set(include === null ? [] : include.split(",")),
    timezone: timezone ?? v.getDefault(UPCOMING_QUERY.timezone.schema),
    days: (days === null ? null : readDays(days)) ?? v.getDefault(UPCOMING_QUERY.days.schema),
  };
}

function includeProblem(text: string, allowed: readonly string[]): string | null {
  const unknown = text.split(",").filter((item) => !allowed.includes(item));
  return unknown.length === 0 ? null : `must be a comma-separated list of ${allowed.join(", ")}`;
}

function readDays(text: string): number | null {
  if (!/^\d{1,9}$/.test(text)) return null;
  const days = v.safeParse(UPCOMING_QUERY.days.schema, Number(text));
  return days.success ? days.output : null;
}

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw badRequest(errors);
}
