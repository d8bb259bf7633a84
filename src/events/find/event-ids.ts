import type { Command } from "commander";
import type { Scope } from "../../../contract/extensions.js";
import type { Event } from "../../../contract/shapes.js";
import { type CliError, usageError } from "../../errors.js";
import { sanitizeLine } from "../../output/sanitize.js";
import type { Run } from "../../run/run.js";
import { type LocalizedEvent, localizeEvent } from "../localized-event.js";
import { checkId } from "../names.js";
import { isSeries, SCOPE_CHOICES } from "../repeat/series.js";
import { describeWhen, titleOf } from "../views/event-when.js";
import type { FoundEvent } from "./calendar-choice.js";

/** Which events a command means: by their ids, and of an event that repeats which of its series. */

/** The argument that stands for ids on stdin. */
export const STDIN_IDS = "-";

/** Whether one event is meant, by its id or as the one that is picked; of several and of those on stdin a list is printed. */
export function isSingleId(given: readonly string[]): boolean {
  return given.length < 2 && given[0] !== STDIN_IDS;
}

/**
 * The id as given. At a terminal, the beginning of the id of an event that was shown lately is enough.
 * @throws CliError usage when several events have it
 */
function readEventId({ names }: Run, typed: string): string {
  checkId(typed, "ID");
  if (!SHORT_ID.test(typed)) return typed;
  const recent = names.recentEvents();
  const found = recent?.find(typed) ?? [];
  if (found.some(({ id }) => id === typed)) return typed;
  if (found.length <= 1) return found[0]?.id ?? typed;
  const candidates = found.slice(0, MAX_CANDIDATES).map(({ id, title }) => `${recent?.shorten(id)} ${title}`);
  throw usageError(
    `ID: "${typed}" is the beginning of ${found.length} ids`,
    `type more characters: ${candidates.join(", ")}${found.length > MAX_CANDIDATES ? ", …" : ""}`,
  );
}

/** Of an occurrence, the beginning of the id of its series, and its start. */
const SHORT_ID = /^[0-9a-f]{4,31}(?:_\d{1,8}(?:T\d{0,6}Z?)?)?$/;
const MAX_CANDIDATES = 5;

/**
 * The ids as given; a `-` is replaced by the ids on stdin, separated by line breaks or NULs, without blank ones.
 * @throws CliError usage
 */
export async function readEventIds(run: Run, typed: readonly string[]): Promise<readonly string[]> {
  const position = typed.indexOf(STDIN_IDS);
  if (position !== typed.lastIndexOf(STDIN_IDS)) {
    throw usageError("- was given twice", "stdin can be read only once");
  }
  const given = typed.map((id) => readEventId(run, id));
  if (position === -1) return given;
  const text = await run.terminal.input.text("-", "-");
  if (/^\s*[[{]/.test(text))
    throw usageError(
      "-: stdin is JSON, not ids",
      "print one id a line with --fields id, or with --jq '.[].id'",
    );
  const lines = text.split(/[\n\0]/).map((line) => line.trim());
  const ids = lines.filter((line) => line !== "").map((line) => checkId(line, "ID on stdin"));
  return given.toSpliced(position, 1, ...ids);
}

/**
 * The id as given; without one, the event that is picked on a terminal. What picks it is loaded only then.
 * @throws CliError usage for an id that is empty or too short, not_found when there are no events
 */
export async function chooseEventId(run: Run, typed: string | undefined): Promise<string> {
  if (typed !== undefined) return readEventId(run, typed);
  const { pickEvent } = await import("./pick-event.js");
  return pickEvent(run);
}

/** Declares `--scope`: which occurrences of a series are written. */
export function addScopeFlag(command: Command): Command {
  return command.addOption(
    command
      .createOption(
        "--scope <scope>",
        "occurrences of a series to change: this one, this and all later ones, or all",
      )
      .choices(SCOPE_CHOICES),
  );
}

/** The scope of a write to an event; undefined for one that does not repeat. @throws CliError usage */
export type ChooseScope = (event: Event) => Promise<Scope | undefined>;

/**
 * Asks at most once. Where the service stores no series, its occurrences are written as single events. Of several events,
 * those that do not repeat may be among the others.
 * @param ids as typed: nobody can be asked while they are read from stdin
 */
export function createScopeChooser(
  { api, terminal }: Run,
  typed: Scope | undefined,
  ids: readonly string[],
): ChooseScope {
  const canAsk = terminal.prompt.available && !ids.includes(STDIN_IDS);
  let answer = typed;
  const isSingle = isSingleId(ids);
  const ask = async ({ id, title }: Event): Promise<Scope> =>
    terminal.prompt.choose(
      isSingle ? `${title ?? id} repeats. Which events?` : "Some of these repeat. Which of their events?",
      CHOICES,
    );
  const claimed = new Map<string | null, string>();
  /** The first write gives the others of the series new ids. */
  const claim = ({ id, series_id: seriesId }: Event): void => {
    const other = claimed.get(seriesId);
    claimed.set(seriesId, id);
    if (other !== undefined)
      throw usageError(
        `--scope: ${other} and ${id} belong to one series`,
        "use --scope this, or one of them",
      );
  };
  return async (event) => {
    const { id, calendar_id: calendarId, series_id: seriesId } = event;
    const repeats = seriesId !== null && (await (await api()).hasExtension("recurrences", calendarId));
    if (!repeats && typed !== undefined && isSingle)
      throw usageError(`--scope: event ${id} does not repeat`, "leave it out");
    if (!repeats) return undefined;
    if (answer === undefined && !canAsk) throw missingScope(event);
    if (!isSeries(event)) answer ??= await ask(event);
    const scope = isSeries(event) ? scopeOfSeries(event, typed) : answer;
    if (scope !== "this") claim(event);
    return scope;
  };
}

/** A series is written as a whole; from its first event on is the same. */
function scopeOfSeries({ id }: Event, typed: Scope = "all"): Scope {
  if (typed !== "this") return typed;
  throw usageError(`--scope this: ${id} is a series`, "give the id of one of its events, as lists show it");
}

const CHOICES: readonly { readonly value: Scope; readonly name: string }[] = [
  { value: "this", name: "this one" },
  { value: "following", name: "this one and all that follow" },
  { value: "all", name: "all of the series" },
];

function missingScope(event: Event): CliError {
  const hint = isSeries(event) ? "use --scope all" : "use --scope this, --scope following or --scope all";
  return usageError(`missing --scope: event ${event.id} repeats`, hint);
}

/** How errors name an event: `Dentist (Sat 21 Nov 15:40, Family, ID)`. */
export function nameEvent(event: LocalizedEvent): string {
  const start = describeWhen({ start_local: event.start_local, end_local: null }, { year: false });
  const calendar = sanitizeLine(event.calendar_name ?? "").trim();
  const facts = [start.replace("  ", " "), calendar, event.id].filter((fact) => fact !== "");
  return `${titleOf(event)} (${facts.join(", ")})`;
}

/** A line about an event that a question is about, since an id says nothing to a person. */
export function describeFound({ calendar, event }: FoundEvent, zone: string): string {
  const when = describeWhen(localizeEvent(event, zone), { year: true }) || "no time";
  return `  ${event.title ?? event.id}  ${when}  ${calendar.name || calendar.id}`;
}
