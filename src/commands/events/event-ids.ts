import { checkId } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import type { EventContext } from "./event-reader.js";

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
function readEventId({ names }: Pick<Context, "names">, typed: string): string {
  checkId(typed, "ID");
  if (!SHORT_ID.test(typed)) return typed;
  const recent = names.recentEvents();
  const found = recent?.find(typed) ?? [];
  if (found.some(({ id }) => id === typed)) return typed;
  if (found.length <= 1) return found[0]?.id ?? typed;
  const candidates = found.slice(0, MAX_CANDIDATES).map(({ id, title }) => `${recent?.shorten(id)} ${title}`);
  throw usageError(
    `ID: "${typed}" is the beginning of ${found.length} ids`,
    `type more of it: ${candidates.join(", ")}${found.length > MAX_CANDIDATES ? ", …" : ""}`,
  );
}

/** Of an occurrence, the beginning of the id of its series, and its start. */
const SHORT_ID = /^[0-9a-f]{4,31}(?:_\d{1,8}(?:T\d{0,6}Z?)?)?$/;
const MAX_CANDIDATES = 5;

/**
 * The ids as given; a `-` is replaced by the ids on stdin, separated by line breaks or NULs, without blank ones.
 * @throws CliError usage
 */
export async function readEventIds(
  { terminal, names }: Pick<Context, "terminal" | "names">,
  typed: readonly string[],
): Promise<readonly string[]> {
  const position = typed.indexOf(STDIN_IDS);
  if (position !== typed.lastIndexOf(STDIN_IDS)) {
    throw usageError("- was given twice", "stdin can be read only once");
  }
  const given = typed.map((id) => readEventId({ names }, id));
  if (position === -1) return given;
  const text = await terminal.input.text("-", "-");
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
export async function chooseEventId(context: EventContext, typed: string | undefined): Promise<string> {
  if (typed !== undefined) return readEventId(context, typed);
  const { pickEvent } = await import("./pick-event.js");
  return pickEvent(context);
}
