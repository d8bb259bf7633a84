import * as v from "valibot";
import { resolveName } from "../../calendar/names.js";
import { hexColorSchema } from "../../contract/resources.js";
import { usageError } from "../../errors.js";
import { unstorableText } from "../endpoints/field-errors.js";
import type { Queries } from "../store/open.js";
import type { CalendarRow, UserRow } from "../store/schema.js";
import { listAllUsers } from "../store/users.js";

/**
 * The user of a name or id.
 * @throws CliError not_found, usage when several bear the name
 */
export async function requireUser(db: Queries, user: string, source = "user"): Promise<UserRow> {
  checkName(user, "user");
  return resolveName(user, await listAllUsers(db), { noun: "user", source });
}

/**
 * The calendar of an id, a name or the unique beginning of one.
 * @throws CliError not_found, usage when several fit
 */
export async function requireCalendar(db: Queries, calendar: string): Promise<CalendarRow> {
  checkName(calendar, "calendar");
  const calendars = await db
    .selectFrom("calendars")
    .selectAll()
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return resolveName(calendar, calendars, { noun: "calendar", source: "--calendar", prefix: true });
}

/** @throws CliError usage when a name is blank or cannot be stored */
export function checkName(name: string, what = "name"): void {
  if (name.trim() === "") throw usageError(`the ${what} is empty`);
  checkStorable(name, what);
}

/** @throws CliError usage when text cannot be stored */
export function checkStorable(text: string, what: string): void {
  const problem = unstorableText(text);
  if (problem !== null) throw usageError(`the ${what} ${problem}`);
}

/** @throws CliError usage when it is not `#` and six hex digits */
export function checkColor(color: string): void {
  if (v.is(hexColorSchema, color)) return;
  throw usageError(`"${color}" is no colour`, "give # and six hex digits, such as #2ecc87");
}
