import { compositeId, plainId } from "../contract/ids.js";
import type { Label, User } from "../contract/shapes.js";
import { CliError, usageError } from "../errors.js";

/** Anything a person may name instead of giving its id. */
export interface Named {
  readonly id: string;
  readonly name: string | null;
}

export interface ResolveOptions<T extends Named = Named> {
  /** What is looked for, as messages call it: `calendar`, `label`, `member`. */
  readonly noun: string;
  /** Where it came from, as messages name it: `--calendar`, `CALCTL_CALENDAR`. */
  readonly source: string;
  /** Whether the unique beginning of a name will do. */
  readonly prefix?: boolean;
  /** How one candidate is shown in a list to pick from; `Name (id)` by default. */
  readonly describe?: (candidate: T) => string;
}

/**
 * Finds what a person meant: the exact id, else the exact name, else (where allowed) the unique beginning of a
 * name. Names are compared without regard to case.
 * @throws CliError not_found with the candidates when nothing fits, usage when more than one does
 */
export function resolveName<T extends Named>(
  value: string,
  candidates: readonly T[],
  options: ResolveOptions<T>,
): T {
  const { noun, source, prefix = false, describe = describeCandidate } = options;
  const byId = candidates.find((candidate) => candidate.id === value);
  if (byId !== undefined) return byId;
  const wanted = foldCase(value);
  const exact = candidates.filter((candidate) => foldCase(candidate.name ?? "") === wanted);
  const beginning =
    prefix && wanted !== ""
      ? candidates.filter((candidate) => foldCase(candidate.name ?? "").startsWith(wanted))
      : [];
  const [found, ...others] = exact.length > 0 ? exact : beginning;
  if (found === undefined) {
    throw new CliError("not_found", `${source}: there is no ${noun} "${value}"`, {
      hint: candidatesHint(noun, candidates.map(describe)),
      details: { candidates: candidates.map(({ id, name }) => ({ id, name })) },
    });
  }
  if (others.length > 0) {
    const fitting = [found, ...others];
    throw new CliError("usage", `${source}: "${value}" fits ${fitting.length} ${noun}s`, {
      hint: `name one of: ${fitting.map(describe).join(", ")}`,
      details: { candidates: fitting.map(({ id, name }) => ({ id, name })) },
    });
  }
  return found;
}

/** A list a person can pick from: `Family (abc), Work (def)`. */
export function describeCandidates(candidates: readonly Named[]): string {
  return candidates.map(describeCandidate).join(", ");
}

/** Refuses an id that is empty or would climb in a path. @throws CliError usage */
export function checkId(value: string, source: string): string {
  if (value === "") throw usageError(`${source}: the id is empty`, "is a variable of the script unset?");
  if (value === "." || value === "..") throw usageError(`${source}: "${value}" is no id`);
  return value;
}

function describeCandidate({ id, name }: Named): string {
  return name === null || name === "" ? id : `${name} (${id})`;
}

function candidatesHint(noun: string, candidates: readonly string[]): string {
  if (candidates.length === 0) return `there are no ${noun}s at all`;
  return `${noun}s: ${candidates.join(", ")}`;
}

function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

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

export interface ResolveAttendeesOptions {
  /** Id of the current user, which `me` stands for; null when it is not known. */
  readonly me: string | null;
  readonly calendarId: string;
  /** Where the values came from, as messages name it. */
  readonly source: string;
}

/**
 * The composite ids of members given by user id (plain or composite), by name or as `me`, each once.
 * @throws CliError not_found with the candidates when no member fits, usage when several bear the name
 */
export function resolveAttendees(
  values: readonly string[],
  members: readonly User[],
  options: ResolveAttendeesOptions,
): readonly string[] {
  const ids = values.map((value) =>
    compositeId(options.calendarId, resolveMember(value, members, options).id),
  );
  return [...new Set(ids)];
}

function resolveMember(value: string, members: readonly User[], options: ResolveAttendeesOptions): User {
  const { calendarId, source } = options;
  if (value === "") throw usageError(`${source} is empty`, "is a variable of the script unset?");
  const wanted = compositeId(calendarId, value === "me" ? ownId(options) : value);
  const found = members.find(({ id }) => compositeId(calendarId, id) === wanted);
  return found ?? resolveName(value, members, { noun: "member", source });
}

function ownId({ me, source }: ResolveAttendeesOptions): string {
  if (me !== null) return plainId(me);
  throw usageError(`${source}: it is not known who "me" is`, "give a user id or a member's name");
}
