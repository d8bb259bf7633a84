import type { Settings } from "../../config/settings.js";
import { usageError } from "../../errors.js";
import type { FilterFlags } from "./listing.js";

/** What a name of `--since-last` watches. Other runs under it would find everything new or gone. */
export interface Binding {
  /** URL of the service, or `local`. */
  readonly service: string;
  /** Id of the user; null where the service does not tell it. */
  readonly account: string | null;
  /** Their ids, sorted; null for every calendar there is. */
  readonly calendars: readonly string[] | null;
  readonly days: number;
  readonly category: string | null;
  /** As typed. */
  readonly label: string | null;
  readonly mine: boolean;
  readonly remaining: boolean;
}

/** What a run watches. */
export interface WatchOptions extends Pick<Binding, "account" | "calendars" | "days"> {
  readonly service: Settings["service"];
  readonly flags: FilterFlags;
}

export function createBinding({ service, flags, account, calendars, days }: WatchOptions): Binding {
  const { category = null, label = null, mine = false, remaining = false } = flags;
  return {
    service: service.kind === "local" ? "local" : urlOf(service.baseUrl.value),
    account,
    calendars: calendars?.toSorted() ?? null,
    ...{ days, category, label, mine, remaining },
  };
}

/** As it is compared: without a slash at its end. */
function urlOf(text: string): string {
  return (URL.canParse(text) ? new URL(text).href : text).replace(/(?<!\/)\/+$/, "");
}

/** A name as it was typed. */
export interface NewsName {
  /** Under it the runs belong together. */
  readonly sinceLast: string;
  /** The flag that gave it, for messages. */
  readonly nameFlag: "--since-last" | "--changes";
}

/** @throws CliError usage when the name watches something else; says what */
export function checkBinding({ sinceLast: name, nameFlag }: NewsName, bound: Binding, now: Binding): void {
  // A service may not have told yet who one is.
  const there = describe(bound);
  const here = describe(bound.account === null ? { ...now, account: null } : now);
  const differing = there.filter((part, index) => part !== here[index]);
  if (differing.length === 0) return;
  throw usageError(
    `${nameFlag}: the name "${name}" is bound to ${differing.join(", ")}, which this run is not for`,
    `choose another name for this one; "${name}" is for ${describe(bound).join(", ")}`,
  );
}

/** The parts of a binding in words, in the same order for each. */
function describe({ service, account, calendars, days, ...filters }: Binding): readonly string[] {
  const { category, label, mine, remaining } = filters;
  const user = account === null ? "" : ` as user ${account}`;
  return [
    service === "local" ? `the profile local${user}` : `${service}${user}`,
    calendars === null ? "all calendars" : `calendar ${calendars.join(" and ")}`,
    days === 1 ? "1 day" : `${days} days`,
    category === null ? "any category" : `--category ${category}`,
    label === null ? "any label" : `--label ${label}`,
    mine ? "--mine" : "events of all members",
    remaining ? "--remaining" : "events that are over, too",
  ];
}
