import type { Command } from "commander";
import type { Scope } from "../../../contract/extensions.js";
import type { CalendarEvent } from "../../../contract/shapes.js";
import { isSeries, SCOPE_CHOICES } from "../../calendar/series.js";
import type { Context } from "../../context.js";
import { type CliError, usageError } from "../../errors.js";
import { isSingleId, STDIN_IDS } from "./event-ids.js";

/** Which occurrences of a series are written: `--scope`, or what a person says. */

export function addScopeFlag(command: Command): Command {
  return command.addOption(
    command
      .createOption("--scope <scope>", "of an event that repeats: this one, it and those after it, or all")
      .choices(SCOPE_CHOICES),
  );
}

/** The scope of a write to an event; undefined for one that does not repeat. @throws CliError usage */
export type ChooseScope = (event: CalendarEvent) => Promise<Scope | undefined>;

/**
 * Asks at most once. Where the service stores no series, its occurrences are written as single events. Of several events,
 * those that do not repeat may be among the others.
 * @param ids as typed: nobody can be asked while they are read from stdin
 */
export function createScopeChooser(
  { api, terminal }: Pick<Context, "api" | "terminal">,
  typed: Scope | undefined,
  ids: readonly string[],
): ChooseScope {
  const canAsk = terminal.prompt.available && !ids.includes(STDIN_IDS);
  let answer = typed;
  const isSingle = isSingleId(ids);
  const ask = async ({ id, title }: CalendarEvent): Promise<Scope> =>
    terminal.prompt.choose(
      isSingle ? `${title ?? id} repeats. Which events?` : "Some of these repeat. Which of their events?",
      CHOICES,
    );
  const claimed = new Map<string | null, string>();
  /** The first write gives the others of the series new ids. */
  const claim = ({ id, series_id: seriesId }: CalendarEvent): void => {
    const other = claimed.get(seriesId);
    claimed.set(seriesId, id);
    if (other !== undefined)
      throw usageError(`--scope: ${other} and ${id} are of one series`, "give --scope this, or one of them");
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
function scopeOfSeries({ id }: CalendarEvent, typed: Scope = "all"): Scope {
  if (typed !== "this") return typed;
  throw usageError(`--scope this: ${id} is a series`, "give the id of one of its events, as lists have it");
}

const CHOICES: readonly { readonly value: Scope; readonly name: string }[] = [
  { value: "this", name: "this one" },
  { value: "following", name: "this one and all that follow" },
  { value: "all", name: "all of the series" },
];

function missingScope(event: CalendarEvent): CliError {
  const hint = isSeries(event) ? "give --scope all" : "give --scope this, --scope following or --scope all";
  return usageError(`missing --scope: event ${event.id} repeats`, hint);
}
