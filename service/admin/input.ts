import { codePointLength, HEX_COLOR } from "../../contract/limits.js";
import { CliError, usageError } from "../../src/errors.js";
import {
  type Candidate,
  describeCandidates,
  type ResolveOptions,
  resolveName,
} from "../../src/events/names.js";
import { textProblem } from "../endpoints/event-body.js";
import type { PasswordCost } from "../secrets.js";
import { listAllCalendars } from "../store/calendars.js";
import type { CalendarRow, UserRow } from "../store/schema.js";
import type { Store, Transaction } from "../store/store.js";
import { findUserByLogin, listAllUsers } from "../store/users.js";

export interface AdminOptions {
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly passwordCost?: PasswordCost | undefined;
}

/** Maximum length of names of users, calendars, labels and clients, in Unicode code points. */
export const MAX_NAME = 50;

/**
 * The user with an id or a name, or, if nobody has that name, with a login.
 * @throws CliError not_found, usage when several users have the name
 */
export async function resolveUser(db: Transaction, user: string, source = "user"): Promise<UserRow> {
  checkNotBlank(user, "user");
  return resolveAmong(await listAllUsers(db), user, { db, noun: "user", source });
}

/** `resolveUser` for some of the users. */
export async function resolveAmong<T extends Candidate>(
  users: readonly T[],
  user: string,
  { db, ...options }: ResolveOptions & { readonly db: Transaction },
): Promise<T> {
  try {
    return resolveName(user, users, options);
  } catch (error) {
    const isNoName = error instanceof CliError && error.code === "not_found";
    const withLogin = isNoName ? await findUserByLogin(db, user) : undefined;
    const found = users.find(({ id }) => id === withLogin?.id);
    if (found === undefined) throw error;
    return found;
  }
}

/**
 * The only user there is.
 * @throws CliError usage when there are several, not_found when there is none
 */
export async function onlyUser(db: Transaction, flag: string): Promise<UserRow> {
  const users = await listAllUsers(db);
  const [user, ...others] = users;
  if (user === undefined) {
    throw new CliError("not_found", "there are no users", { hint: "add one: calctl service users add NAME" });
  }
  if (others.length === 0) return user;
  throw usageError(`missing ${flag}: there are several users`, `name one of: ${describeCandidates(users)}`);
}

/**
 * The calendar with an id, a name or a unique prefix of a name.
 * @throws CliError not_found, usage when several calendars match
 */
export async function resolveCalendar(
  db: Transaction,
  calendar: string,
  source = "--calendar",
): Promise<CalendarRow> {
  checkNotBlank(calendar, "calendar");
  return resolveName(calendar, await listAllCalendars(db), {
    noun: "calendar",
    source,
    byPrefix: true,
  });
}

/** @throws CliError usage when a new name is blank, `.`, `..`, too long or cannot be stored */
export function checkName(name: string, what = "name", max = MAX_NAME): void {
  checkNotBlank(name, what);
  if (name === "." || name === "..") throw usageError(`the ${what} must not be "${name}"`);
  checkSingleLine(name, what, max);
}

/** Empty text is valid. @throws CliError usage when text is too long, has line breaks or cannot be stored */
export function checkSingleLine(text: string, what: string, max = MAX_NAME): void {
  checkText(text, what, max);
  if (/\p{Cc}/u.test(text)) throw usageError(`the ${what} must not contain control characters`);
}

/** Empty text is valid. @throws CliError usage when text is too long or cannot be stored */
export function checkText(text: string, what: string, max: number): void {
  const problem = textProblem(text);
  if (problem !== null) throw usageError(`the ${what} ${problem}`);
  const length = codePointLength(text);
  if (length > max) throw usageError(`the ${what} must have at most ${max} characters, not ${length}`);
}

function checkNotBlank(text: string, what: string): void {
  if (text.trim() === "") throw usageError(`the ${what} is empty`);
}

/** @throws CliError usage when it is not `#` and six hex digits */
export function checkColor(color: string): void {
  if (HEX_COLOR.test(color)) return;
  throw usageError(`"${color}" is not a color`, "write # and six hex digits, such as #2ecc87");
}
