import type { Settings } from "../../config/settings.js";
import { configurationError, emptyValueError, usageError } from "../../errors.js";
import { type FilterFlags, rememberedNames } from "../find/event-query.js";
import type { SeenCalendar } from "./compare.js";

/** What a name of `--since-last` watches. Other runs under it would find everything added or removed. */
interface WatchScope {
  /** URL of the service, or `local`. */
  readonly service: string;
  /** Id of the user; null where the service does not tell it. */
  readonly account: string | null;
  /** Their ids, sorted; null for every calendar there is. */
  readonly calendars: readonly string[] | null;
  readonly days: number;
  readonly category: string | null;
  /** As typed, and as `rememberedNames` has them; null, or as in older files undefined, without any. */
  readonly label: string | readonly string[] | null;
  readonly excludeLabel?: string | readonly string[] | undefined;
  readonly attendee?: string | readonly string[] | undefined;
  readonly mine: boolean;
  readonly remaining: boolean;
}

/** What is remembered under a name. */
export interface SeenState {
  readonly version: 1;
  /** Rows have this key. */
  readonly binding: WatchScope;
  /** When the last run began to read, by the service's clock (ms since the Unix epoch). */
  readonly since: number;
  readonly calendars: readonly WatchedCalendar[];
}

export interface WatchedCalendar extends SeenCalendar {
  readonly id: string;
  readonly name: string | null;
}

/** @throws CliError configuration for what a later version has written */
export function readState(seen: unknown, name: string): SeenState {
  // Written by calctl, to a file of its user.
  const state = seen as SeenState;
  if (state.version === 1) return state;
  throw configurationError(`the state named "${name}" was written by a newer calctl`, {
    hint: "update calctl, or choose another name",
  });
}

/** A name as it was typed. */
export interface NameFlag {
  /** Under it the runs belong together. */
  readonly sinceLast: string;
  /** The flag that gave it, for messages. */
  readonly nameFlag: "--since-last" | "--changes";
}

/** Code units of a name. */
const MAX_NAME = 200;

/** @throws CliError usage for a name that is empty or too long */
export function checkName({ sinceLast: name, nameFlag }: NameFlag): string {
  if (name === "") throw emptyValueError(nameFlag);
  if (name.length <= MAX_NAME) return name;
  throw usageError(`${nameFlag}: the name is longer than ${MAX_NAME} characters`);
}

/** What a run watches. */
interface WatchOptions extends Pick<WatchScope, "account" | "calendars" | "days"> {
  readonly service: Settings["service"];
  readonly flags: FilterFlags & NameFlag;
}

/**
 * The scope of a run, which the runs under its name share.
 * @param bound the scope of the name; undefined for a new one
 * @throws CliError usage when the name watches something else; says what
 */
export function resolveScope(
  { service, flags, account, calendars, days }: WatchOptions,
  bound: WatchScope | undefined,
): WatchScope {
  const { category = null, mine = false, remaining = false } = flags;
  const names = rememberedNames(flags);
  const scope = {
    service: service.kind === "local" ? "local" : urlOf(service.baseUrl.value),
    // Once it is known, it stays known.
    account: account ?? bound?.account ?? null,
    calendars: calendars?.toSorted() ?? null,
    days,
    category,
    mine,
    remaining,
    ...names,
    label: names.label ?? null,
  };
  if (bound !== undefined) checkSame(flags, bound, scope);
  return scope;
}

/** As it is compared: without a slash at its end. */
function urlOf(text: string): string {
  return (URL.canParse(text) ? new URL(text).href : text).replace(/(?<!\/)\/+$/, "");
}

function checkSame({ sinceLast: name, nameFlag }: NameFlag, bound: WatchScope, now: WatchScope): void {
  // A service may not have told yet who one is.
  const there = describe(bound);
  const here = describe(bound.account === null ? { ...now, account: null } : now);
  const differing = there.filter((part, index) => part !== here[index]);
  if (differing.length === 0) return;
  throw usageError(
    `${nameFlag}: the name "${name}" is bound to ${differing.join(", ")}, not to what this run watches`,
    `choose another name for this one; "${name}" is for ${there.join(", ")}`,
  );
}

/** The parts of a scope in words, in the same order for each. */
function describe({ service, account, calendars, days, ...filters }: WatchScope): readonly string[] {
  const { category, label, excludeLabel, attendee, mine, remaining } = filters;
  const user = account === null ? "" : ` as user ${account}`;
  return [
    service === "local" ? `the profile local${user}` : `${service}${user}`,
    calendars === null ? "all calendars" : `calendar ${calendars.join(" and ")}`,
    days === 1 ? "1 day" : `${days} days`,
    category === null ? "any category" : `--category ${category}`,
    label === null ? "any label" : flagText("--label", label),
    excludeLabel === undefined ? "no excluded label" : flagText("--exclude-label", excludeLabel),
    attendee === undefined ? "any attendees" : flagText("--attendee", attendee),
    mine ? "--mine" : "events of all members",
    remaining ? "--remaining" : "past events too",
  ];
}

function flagText(flag: string, values: string | readonly string[]): string {
  return [values]
    .flat()
    .map((value) => `${flag} ${value}`)
    .join(" ");
}
