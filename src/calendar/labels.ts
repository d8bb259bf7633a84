import { compositeId, plainId } from "../contract/ids.js";
import type { Label } from "../contract/shapes.js";
import { usageError } from "../errors.js";
import { resolveName } from "./names.js";

export interface ResolveLabelOptions {
  readonly calendarId: string;
  /** Where the value came from, as messages name it. */
  readonly source: string;
}

/**
 * Finds a label of the calendar by its number (1 is the default label), its id, plain or composite, or its name.
 * @throws CliError not_found with the candidates when nothing fits, as with the id of another calendar's label;
 * usage when several labels bear the name
 */
export function resolveLabel(
  value: string,
  labels: readonly Label[],
  { calendarId, source }: ResolveLabelOptions,
): Label {
  if (value === "") throw usageError(`${source} is empty`, "is a variable of the script unset?");
  const wanted = compositeId(calendarId, value);
  const found =
    labels.find(({ number }) => number !== null && String(number) === value) ??
    labels.find(({ id }) => compositeId(calendarId, id) === wanted);
  return found ?? resolveName(value, labels, { noun: "label", source, describe: describeLabel });
}

/** `2 modern cyan`; the default label has no name. */
function describeLabel({ id, number, name }: Label): string {
  const key = number === null ? plainId(id) : String(number);
  return name === null || name === "" ? key : `${key} ${name}`;
}
