import { foldCase, normalizeText } from "../../contract/comparable-text.js";
import { compositeId, plainId } from "../../contract/ids.js";
import type { Label, User } from "../../contract/shapes.js";
import { CliError, emptyValueError, usageError } from "../errors.js";
import { findNearest } from "../output/words.js";

/** What names a calendar, a label or a person: an id, a name, for a label also its number. */
export interface Named {
  readonly value: string;
  /** How messages name where it came from: `--calendar`, `CALCTL_CALENDAR`. */
  readonly source: string;
  /** A label as the output of some calendar has it, which is found by its name in another one. */
  readonly printed?: PrintedLabel;
}

/** A label as some output has it. */
export function namedLabel(printed: PrintedLabel, source: string): Named {
  return { value: printed.name || String(printed.number), source, printed };
}

/** Anything that may be given by name instead of by id. */
export interface Candidate {
  readonly id: string;
  readonly name: string | null;
}

export interface ResolveOptions<T extends Candidate = Candidate> {
  /** What messages call it: `calendar`, `label`, `member`. */
  readonly noun: string;
  /** How messages name where the value came from: `--calendar`, `CALCTL_CALENDAR`. */
  readonly source: string;
  /** Whether the beginning of a name is enough, as for calendars. */
  readonly byPrefix?: boolean;
  /** How a hint shows one candidate; `Name (id)` by default. */
  readonly describe?: (candidate: T) => string;
}

/**
 * Finds a candidate by its exact id, else by its exact name, else by its name ignoring case, else, where that is
 * allowed, by the beginning of its name; the first step that matches any candidate decides.
 * @throws CliError not_found with the candidates when none matches, usage when several do or the value cannot be a name
 */
export function resolveName<T extends Candidate>(
  value: string,
  candidates: readonly T[],
  options: ResolveOptions<T>,
): T {
  const { noun, source, byPrefix = false, describe = describeCandidate } = options;
  const byId = candidates.find((candidate) => candidate.id === value);
  if (byId !== undefined) return byId;
  const [normal, folded] = [normalizeText(value, "NFC"), foldCase(value)];
  const steps: readonly ((name: string) => boolean)[] = [
    (name) => normalizeText(name, "NFC") === normal,
    (name) => foldCase(name) === folded,
    (name) => byPrefix && folded !== "" && foldCase(name).startsWith(folded),
  ];
  const matches = steps.map((step) => candidates.filter(({ name }) => step(name ?? "")));
  const [found, ...others] = matches.find(({ length }) => length > 0) ?? [];
  if (found === undefined) {
    checkControlCharacters(value, source);
    throw notFoundError(value, candidates, { noun, source, describe });
  }
  if (others.length > 0) {
    const matching = [found, ...others];
    throw new CliError("usage", `${source}: "${value}" matches ${matching.length} ${noun}s`, {
      hint: `name one of: ${boundedList(matching.map(describe))}`,
      details: { candidates: matching.map(({ id, name }) => ({ id, name })) },
    });
  }
  return found;
}

function notFoundError<T extends Candidate>(
  value: string,
  candidates: readonly T[],
  { noun, source, describe }: Required<Pick<ResolveOptions<T>, "noun" | "source" | "describe">>,
): CliError {
  const sorted = closestFirst(value, candidates);
  const described = [...new Set(sorted.map(describe))];
  return new CliError("not_found", `${source}: there is no ${noun} "${value}"`, {
    hint: described.length === 0 ? `there are no ${noun}s` : `${noun}s: ${boundedList(described)}`,
    details: { candidates: sorted.map(({ id, name }) => ({ id, name })) },
  });
}

/** The error for a label that none of some calendars has. @param candidates the labels of all of them */
export function missingLabelError(value: string, candidates: readonly Label[], source: string): CliError {
  return notFoundError(value, candidates, { noun: "label", source, describe: describeLabel });
}

/** The same for a member. */
export function missingMemberError(
  value: string,
  candidates: readonly Candidate[],
  source: string,
): CliError {
  return notFoundError(value, candidates, { noun: "member", source, describe: describeCandidate });
}

/** A list for hints: `Family (abc), Work (def)`. */
export function describeCandidates(candidates: readonly Candidate[]): string {
  return boundedList(candidates.map(describeCandidate));
}

const MAX_CANDIDATES = 10;

function boundedList(texts: readonly string[]): string {
  const more = texts.length - MAX_CANDIDATES;
  return [...texts.slice(0, MAX_CANDIDATES), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** Names that begin like the value or contain it, then those with a typing error, then the others as they are. */
function closestFirst<T extends Candidate>(value: string, candidates: readonly T[]): readonly T[] {
  const folded = foldCase(value);
  const textOf = ({ name }: Candidate): string => foldCase(name ?? "");
  const containing =
    folded === "" ? [] : candidates.filter((candidate) => textOf(candidate).includes(folded));
  const beginning = containing.filter((candidate) => textOf(candidate).startsWith(folded));
  return [
    ...new Set([...beginning, ...containing, ...findNearest(folded, candidates, textOf), ...candidates]),
  ];
}

/**
 * Refuses an id that is empty, that has control characters, or that is `.` or `..`, which would change the path of a request.
 * @throws CliError usage
 */
export function checkId(value: string, source: string): string {
  if (value === "") throw emptyValueError(`${source}: the id`);
  if (value === "." || value === "..") throw usageError(`${source}: "${value}" is not a valid id`);
  checkControlCharacters(value, source);
  return value;
}

function checkControlCharacters(value: string, source: string): void {
  if (!/\p{Cc}/u.test(value)) return;
  throw usageError(
    `${source}: ${JSON.stringify(value)} contains a control character`,
    "ids and names cannot contain one; check for a line break in the input",
  );
}

/** For messages: `Family (abc)`. */
export function describeCandidate({ id, name }: Candidate): string {
  return name === null || name === "" ? id : `${name} (${id})`;
}

interface OwnerOptions extends Pick<Named, "source"> {
  readonly calendarId: string;
}

/** The name shown for the default label, whose own name is empty. */
export const DEFAULT_LABEL_NAME = "default";

/**
 * Finds a label of the calendar by its number (1 is the default label, also named `default`), its id, plain or composite, or its name.
 * @throws CliError not_found with the candidates when none matches, as for a label of another calendar; usage when
 * several labels have the name
 */
export function resolveLabel(
  value: string,
  labels: readonly Label[],
  { calendarId, source }: OwnerOptions,
): Label {
  if (value === "") throw emptyValueError(source);
  const composite = compositeId(calendarId, value);
  const found =
    labels.find(({ number }) => number !== null && String(number) === value) ??
    labels.find(({ id }) => compositeId(calendarId, id) === composite);
  if (found !== undefined) return found;
  // A label that has this name wins.
  const isNamed = labels.some(({ name }) => foldCase(name ?? "") === DEFAULT_LABEL_NAME);
  const unnamed = labels.find(({ number, name }) => number === 1 && !name);
  if (foldCase(value) === DEFAULT_LABEL_NAME && !isNamed && unnamed !== undefined) return unnamed;
  return resolveName(value, labels, { noun: "label", source, describe: describeLabel });
}

/** What an output tells of a label; its id is composite. */
type PrintedLabel = Pick<Label, "id" | "name" | "number">;

/** The same label, or in another calendar the one of the same name; null without one. The default label has no name. */
export function findPrintedLabel(printed: PrintedLabel, labels: readonly Label[]): Label | null {
  const same = labels.find(({ id }) => id === printed.id);
  if (same !== undefined) return same;
  const name = foldCase(printed.name ?? "");
  const isDefault = name === "" && printed.number === 1;
  const matches = isDefault
    ? labels.filter(({ number }) => number === 1)
    : labels.filter((label) => name !== "" && foldCase(label.name ?? "") === name);
  return matches.length === 1 ? (matches[0] ?? null) : null;
}

/** What names a label whatever its name becomes: its number, else its plain id. */
export function labelKey({ id, number }: Label): string {
  return number === null ? plainId(id) : String(number);
}

/** What names a label for a person, and `resolveLabel` finds it by: the name if it is unique, else as `labelKey`. */
export function labelWord(label: Label, labels: readonly Label[]): string {
  const name = label.name ?? "";
  const same = labels.filter((each) => foldCase(each.name ?? "") === foldCase(name));
  const isUnique = same.length === 1 && labels.every((each) => labelKey(each) !== name);
  return name !== "" && isUnique ? name : labelKey(label);
}

/** `2 modern cyan`; the default label has no name. */
function describeLabel(label: Label): string {
  const { name } = label;
  const key = labelKey(label);
  return name === null || name === "" ? key : `${key} ${name}`;
}

interface ResolveAttendeesOptions extends Pick<OwnerOptions, "calendarId"> {
  /** Id of the current user, for `me`; null when unknown. */
  readonly me: string | null;
}

/**
 * The composite ids of members given by user id (plain or composite), by name or its beginning, or as `me`, each once.
 * @throws CliError not_found with the candidates when no member matches, usage when several have the name
 */
export function resolveAttendees(
  named: readonly Named[],
  members: readonly Candidate[],
  options: ResolveAttendeesOptions,
): readonly string[] {
  const ids = named.map((each) => compositeId(options.calendarId, resolveMember(each, members, options).id));
  return [...new Set(ids)];
}

/** What `resolveAttendees` finds a member by: the name if it is unique, else the plain id. */
export function attendeeKey({ id, name }: User, members: readonly User[], calendarId: string): string {
  const same = members.filter((member) => foldCase(member.name ?? "") === foldCase(name ?? ""));
  const isId = members.some(
    (member) => compositeId(calendarId, member.id) === compositeId(calendarId, name ?? ""),
  );
  const isUnique = same.length === 1 && !isId && name !== "me";
  return name !== null && name !== "" && isUnique ? name : plainId(id);
}

/**
 * Finds a person among the members of several calendars, where each is one person whatever the calendar.
 * @returns the plain id
 * @throws CliError not_found with the members when none fits, usage when several do
 */
export function findPerson(value: string, members: readonly Candidate[], source: string): string {
  const people = new Map(members.map(({ id, name }) => [plainId(id), { id: plainId(id), name }]));
  const found = people.get(plainId(value));
  return (found ?? resolveName(value, [...people.values()], { noun: "member", source, byPrefix: true })).id;
}

function resolveMember(
  { value, source }: Named,
  members: readonly Candidate[],
  { calendarId, me }: ResolveAttendeesOptions,
): Candidate {
  if (value === "") throw emptyValueError(source);
  const composite = compositeId(calendarId, value === "me" ? ownId(me, source) : value);
  const found = members.find(({ id }) => compositeId(calendarId, id) === composite);
  return found ?? resolveName(value, members, { noun: "member", source, byPrefix: true });
}

function ownId(me: string | null, source: string): string {
  if (me !== null) return plainId(me);
  throw usageError(
    `${source}: the current user is unknown, so "me" cannot be used`,
    "use a user id or a member's name",
  );
}
