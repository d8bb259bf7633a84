import type { CacheKey, StoredItem } from "../../cache/name-cache.js";
import { PROFILE_KEYS } from "../../config/config.js";
import { resolveName } from "../../events/names.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { dayOf, describeDay } from "../../time/day-names.js";
import { type Position, readCommandLine } from "./command-line.js";
import type { CommandTree } from "./command-tree.js";
import { type Candidate, type Kind, type KnownValues, kindOf, withoutDescriptions } from "./known-values.js";

export interface Completion {
  /** Whole words: with the flag that the word at the cursor begins with. */
  readonly candidates: readonly Candidate[];
  /** Whether the shell completes files instead. */
  readonly files: boolean;
}

/** The words that could stand at the cursor. @param words after the program's name; the last ends at the cursor */
export function complete(root: CommandTree, words: readonly string[], known: KnownValues): Completion {
  const position = readCommandLine(root, words);
  const kind = kindOf(root, position);
  if (kind === "files") return { candidates: [], files: true };
  const all = typeof kind === "string" ? CANDIDATES[kind](position, known) : kind;
  const { prefix, typed } = position;
  const showable = all.filter(({ value }) => isShowable(value));
  const unique = [...new Map(showable.map((candidate) => [candidate.value, candidate])).values()];
  const candidates = fitting(typed, unique).map(({ value, description }) => ({
    value: prefix + value,
    description,
  }));
  return { candidates, files: false };
}

/** Whether a terminal may show it: fish lists and every shell inserts values as they are. */
function isShowable(value: string): boolean {
  return sanitizeLine(value) === value;
}

/** More than anybody reads. */
const MAX_CANDIDATES = 500;

/** Those that begin as typed; if none does, the only one that does so in another case. */
function fitting(typed: string, all: readonly Candidate[]): readonly Candidate[] {
  const exact = all.filter(({ value }) => value.startsWith(typed));
  if (exact.length > 0) return exact.slice(0, MAX_CANDIDATES);
  const folded = typed.toLowerCase();
  const others = all.filter(({ value }) => value.toLowerCase().startsWith(folded));
  return others.length === 1 ? others : [];
}

const CANDIDATES: Readonly<Record<Kind, (position: Position, known: KnownValues) => readonly Candidate[]>> = {
  none: () => [],
  keys: () => withoutDescriptions(PROFILE_KEYS),
  profiles: (_, known) => withoutDescriptions(known.profiles()),
  targets: (_, known) => known.targets(),
  zones: (_, known) => withoutDescriptions(known.zones()),
  calendars: (position, known) => namesOf(listOf("calendars", position, known)),
  labels: (position, known) =>
    relatedLists("labels", position, known).flatMap((labels) =>
      position.typed !== "" && /^\d+$/.test(position.typed)
        ? labels.map(byNumber)
        : namesOf(labels, byNumber, ({ number, id }) => `label ${number ?? id}`),
    ),
  members: (position, known) => [
    { value: "me", description: "" },
    ...relatedLists("members", position, known).flatMap((members) => namesOf(members)),
  ],
  events: completeEvents,
  feeds: (position, known) => listOf("feeds", position, known).map(byId),
};

function byId({ id, name }: StoredItem): Candidate {
  return { value: id, description: name ?? "" };
}

function byNumber(label: StoredItem): Candidate {
  const { number, name } = label;
  return number === null ? byId(label) : { value: String(number), description: name ?? "" };
}

/** The name where it is enough, otherwise what is unique. */
function namesOf(
  items: readonly StoredItem[],
  unique: (item: StoredItem) => Candidate = byId,
  describe: (item: StoredItem) => string = () => "",
): readonly Candidate[] {
  return items.map((item) => {
    const { name } = item;
    const isClear =
      name !== null &&
      name.trim() !== "" &&
      // These mean something else as a value.
      !/^\d+$|^me$|^\.{1,2}$/.test(name) &&
      isShowable(name) &&
      items.every((other) => other === item || (other.name !== name && other.id !== name));
    return isClear ? { value: name, description: describe(item) } : unique(item);
  });
}

function profileOf({ given }: Position): string | undefined {
  return given.get("--profile")?.at(-1);
}

function listOf(key: CacheKey, position: Position, known: KnownValues): readonly StoredItem[] {
  // `service` is about the embedded service.
  const profile = position.path[0] === "service" ? "local" : profileOf(position);
  return known.names(profile).find(key) ?? [];
}

/** The labels or members of the calendar that the command line is about; of every one where that is open. */
function relatedLists(
  kind: "labels" | "members",
  position: Position,
  known: KnownValues,
): readonly (readonly StoredItem[])[] {
  const calendars = listOf("calendars", position, known);
  const chosen = chosenCalendars(calendars, position, known);
  return (chosen.length > 0 ? chosen : calendars).map(({ id }) => listOf(`${kind} ${id}`, position, known));
}

function chosenCalendars(
  calendars: readonly StoredItem[],
  position: Position,
  known: KnownValues,
): readonly Pick<StoredItem, "id">[] {
  const flags = position.given.get("--calendar") ?? [];
  const fallback = known.defaultCalendar(profileOf(position));
  const values = flags.length > 0 || fallback === undefined ? flags : [fallback];
  return values.map((value) => {
    try {
      return resolveName(value, calendars, { noun: "calendar", source: "--calendar", byPrefix: true });
    } catch (_unknown) {
      return { id: value };
    }
  });
}

function completeEvents(position: Position, known: KnownValues): readonly Candidate[] {
  const recent = known.events(profileOf(position));
  const chosen = chosenCalendars(listOf("calendars", position, known), position, known).map(({ id }) => id);
  const isChosen = (calendarId: string) => chosen.length === 0 || chosen.includes(calendarId);
  return recent
    .find(position.typed)
    .filter(
      ({ id, calendarId }) =>
        isChosen(calendarId) && !position.args.some((arg) => arg !== "" && id.startsWith(arg)),
    )
    .map(({ id, title, start }) => {
      const short = recent.shorten(id);
      const day = start === null ? "" : `${describeDay(dayOf(start.slice(0, 10)), { year: false })} `;
      const when = start === null || start.length === 10 ? day : `${day}${start.slice(11, 16)} `;
      return { value: short.startsWith(position.typed) ? short : id, description: `${when}${title}` };
    });
}
