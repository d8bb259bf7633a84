import { KEPT_FOR, type ListKey, type NameCache, type RememberedItem } from "../cache/name-cache.js";
import type { RecentEvents } from "../cache/recent-events.js";
import { resolveName } from "../calendar/names.js";
import { PROFILE_KEYS } from "../config/config-file.js";
import { FORMATS } from "../output/view.js";
import { type Position, readCommandLine } from "./command-line.js";
import type { CommandTree, Flag } from "./command-tree.js";

/** A word that could stand at the cursor. */
export interface Candidate {
  readonly value: string;
  /** Shown beside it; may be empty. */
  readonly description: string;
}

export interface Completion {
  /** Whole words: with the flag that the word at the cursor begins with. */
  readonly candidates: readonly Candidate[];
  /** Whether the shell completes files instead. */
  readonly files: boolean;
}

/** What is known without asking a service. Everything may be empty. */
export interface KnownValues {
  profiles(): readonly string[];
  /** The calendar of CALCTL_CALENDAR or of the profile; undefined without one. @param profile of `--profile` */
  defaultCalendar(profile: string | undefined): string | undefined;
  names(profile: string | undefined): NameCache;
  events(profile: string | undefined): RecentEvents;
  zones(): readonly string[];
}

/** The words that could stand at the cursor. @param words after the program's name; the last ends at the cursor */
export function complete(root: CommandTree, words: readonly string[], known: KnownValues): Completion {
  const position = readCommandLine(root, words);
  const kind = kindOf(root, position);
  if (kind === "files") return { candidates: [], files: true };
  const all = typeof kind === "string" ? CANDIDATES[kind](position, known) : kind;
  const { prefix, typed } = position;
  const unique = [...new Map(all.map((candidate) => [candidate.value, candidate])).values()];
  const candidates = fitting(typed, unique).map(({ value, description }) => ({
    value: prefix + value,
    description,
  }));
  return { candidates, files: false };
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

type Kind = "calendars" | "labels" | "members" | "events" | "profiles" | "zones" | "keys" | "none";

/** What the value of a flag is, by how its help calls it. */
const KIND_OF_VALUE: Readonly<Record<string, Kind | "files">> = {
  "id|name": "calendars",
  "number|id|name": "labels",
  "id|name|me": "members",
  zone: "zones",
  file: "files",
  path: "files",
  "path|-": "files",
};

/** The same for flags whose help calls it something more general, and values that are not checked by the parser. */
const KIND_OF_FLAG: Readonly<Record<string, Kind | readonly string[]>> = {
  "--profile": "profiles",
  "--output": FORMATS,
  "--include": ["labels", "members", "labels,members"],
};

/** Arguments by command and name. */
const KIND_OF_ARGUMENT: Readonly<Record<string, Kind>> = {
  "events get id": "events",
  "events update id": "events",
  "events delete id": "events",
  "comment id": "events",
  "comments id": "events",
  "profiles use name": "profiles",
  "profiles remove name": "profiles",
  "config get key": "keys",
  "config set key": "keys",
  "config unset key": "keys",
  "service calendars set calendar": "calendars",
  "service calendars remove calendar": "calendars",
};

/** Values of `config set KEY`. */
const KIND_OF_KEY: Readonly<Record<string, Kind>> = {
  calendar: "calendars",
  label: "labels",
  timezone: "zones",
};

function kindOf(
  tree: CommandTree,
  { command, target, path, args, isHelp }: Position,
): Kind | "files" | readonly Candidate[] {
  switch (target.kind) {
    case "command":
      return [...command.commands, ...(path.length === 0 ? furtherWords(tree, isHelp) : [])].map(
        ({ name, summary }) => ({ value: name, description: summary }),
      );
    case "flag":
      return target.flags.map(({ long, summary }) => ({ value: long, description: summary }));
    case "value":
      return kindOfFlag(target.flag);
    case "argument": {
      const argument = command.arguments[target.index] ?? command.arguments.find(({ variadic }) => variadic);
      if (argument === undefined) return "none";
      if (argument.choices.length > 0) return withoutDescriptions(argument.choices);
      const name = `${path.join(" ")} ${argument.name}`;
      if (name === "config set value") return KIND_OF_KEY[args[0] ?? ""] ?? "none";
      return KIND_OF_ARGUMENT[name] ?? "none";
    }
  }
}

/** What may stand in place of a command. */
function furtherWords({ topics }: CommandTree, isHelp: boolean): CommandTree["topics"] {
  return isHelp ? topics : [{ name: "help", summary: "show the help of a command or a topic" }];
}

function kindOfFlag({ long, value, choices }: Flag): Kind | "files" | readonly Candidate[] {
  const kind = choices.length > 0 ? choices : KIND_OF_FLAG[long];
  if (kind === undefined) return KIND_OF_VALUE[value ?? ""] ?? "none";
  return typeof kind === "string" ? kind : withoutDescriptions(kind);
}

function withoutDescriptions(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, description: "" }));
}

const CANDIDATES: Readonly<Record<Kind, (position: Position, known: KnownValues) => readonly Candidate[]>> = {
  none: () => [],
  keys: () => withoutDescriptions(PROFILE_KEYS),
  profiles: (_, known) => withoutDescriptions(known.profiles()),
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
};

function byId({ id, name }: RememberedItem): Candidate {
  return { value: id, description: name ?? "" };
}

function byNumber(label: RememberedItem): Candidate {
  const { number, name } = label;
  return number === null ? byId(label) : { value: String(number), description: name ?? "" };
}

/** The name where it is enough, otherwise what is unique. */
function namesOf(
  items: readonly RememberedItem[],
  unique: (item: RememberedItem) => Candidate = byId,
  describe: (item: RememberedItem) => string = () => "",
): readonly Candidate[] {
  return items.map((item) => {
    const { name } = item;
    const isClear =
      name !== null &&
      name.trim() !== "" &&
      // These mean something else as a value.
      !/^\d+$|^me$|^\.{1,2}$/.test(name) &&
      // fish would take what follows for a description.
      !name.includes("\t") &&
      items.every((other) => other === item || (other.name !== name && other.id !== name));
    return isClear ? { value: name, description: describe(item) } : unique(item);
  });
}

function profileOf({ given }: Position): string | undefined {
  return given.get("--profile")?.at(-1);
}

function listOf(key: ListKey, position: Position, known: KnownValues): readonly RememberedItem[] {
  // `service` is about the embedded service.
  const profile = position.path[0] === "service" ? "local" : profileOf(position);
  return known.names(profile).find(key, KEPT_FOR) ?? [];
}

/** The labels or members of the calendar that the command line is about; of every one where that is open. */
function relatedLists(
  kind: "labels" | "members",
  position: Position,
  known: KnownValues,
): readonly (readonly RememberedItem[])[] {
  const calendars = listOf("calendars", position, known);
  const chosen = chosenCalendars(calendars, position, known);
  return (chosen.length > 0 ? chosen : calendars).map(({ id }) => listOf(`${kind} ${id}`, position, known));
}

function chosenCalendars(
  calendars: readonly RememberedItem[],
  position: Position,
  known: KnownValues,
): readonly Pick<RememberedItem, "id">[] {
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
    .map(({ id, title }) => {
      const short = recent.shorten(id);
      return { value: short.startsWith(position.typed) ? short : id, description: title };
    });
}
