import { cacheName, createCacheFile } from "../../cache/cache-file.js";
import { createNameCache, type NameCache } from "../../cache/name-cache.js";
import { createRecentEvents } from "../../cache/recent-events.js";
import { type Config, configPath, readConfig } from "../../config/config.js";
import { requireOwnFolder, resolveDirectories } from "../../config/directories.js";
import type { Environment } from "../../config/environment.js";
import { LOCAL_PROFILE, selectService } from "../../config/settings.js";
import { FORMATS } from "../../output/view.js";
import type { Position } from "./command-line.js";
import type { CommandTree, Flag } from "./command-tree.js";

interface Machine {
  readonly env: Environment;
  readonly platform: string;
  readonly home: () => string;
  /** Null on Windows. */
  readonly userId: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export type KnownValues = ReturnType<typeof readKnownValues>;

/**
 * What the files of this machine say. They are read when they are asked for; what cannot be read, or belongs to a profile
 * that does not exist, is empty.
 */
export function readKnownValues({ env, platform, home, userId, now }: Machine) {
  const directories = resolveDirectories({ env, platform, home });
  let loaded: Config | undefined;
  const config = (): Config => {
    loaded ??= readConfig(configPath(directories.config()), userId);
    return loaded;
  };
  const select = (profileFlag: string | undefined) => selectService({ profileFlag, env, config: config() });
  const open = (kind: "names" | "events", profileFlag: string | undefined) =>
    createCacheFile({
      kind,
      directory: () => requireOwnFolder("cache", directories, userId),
      name: () => cacheName(select(profileFlag)),
      now,
    });
  const nameCaches = new Map<string | undefined, NameCache>();
  const openNames = (profile: string | undefined): NameCache => {
    const cache = nameCaches.get(profile) ?? createNameCache(open("names", profile), now);
    nameCaches.set(profile, cache);
    return cache;
  };
  return {
    profiles: () => [LOCAL_PROFILE, ...(ifReadable(() => [...config().profiles.keys()]) ?? [])],
    /** With what they take. */
    targets: (): readonly Candidate[] =>
      (ifReadable(() => [...(config().targets ?? [])]) ?? []).map(([value, { as = "" }]) => ({
        value,
        description: as,
      })),
    /** The calendar of CALCTL_CALENDAR or of the profile; undefined without one. @param profile of `--profile` */
    defaultCalendar: (profile: string | undefined): string | undefined =>
      env["CALCTL_CALENDAR"] || ifReadable(() => select(profile).setting("calendar")?.value),
    names: openNames,
    events: (profile: string | undefined) => createRecentEvents(open("events", profile), now),
    // The list of the platform has only zones that are named for a place.
    zones: () => ["UTC", ...Intl.supportedValuesOf("timeZone")],
  };
}

/** Undefined where a file cannot be read, which only the commands themselves report. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (_unreadable) {
    return undefined;
  }
}

/** A word that could stand at the cursor. */
export interface Candidate {
  readonly value: string;
  /** Shown beside it; may be empty. */
  readonly description: string;
}

/** Values that the machine knows, or none. */
export type Kind =
  | "calendars"
  | "labels"
  | "members"
  | "events"
  | "feeds"
  | "profiles"
  | "targets"
  | "zones"
  | "keys"
  | "none";

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

/** Flags that mean something else in other commands, by command and flag. */
const KIND_OF_COMMAND_FLAG: Readonly<Record<string, Kind | "files">> = {
  "post --to": "targets",
  "remind --post": "targets",
  "doctor --to": "targets",
  "service copy --from": "files",
  "service copy --to": "files",
};

/** Arguments by command and name. */
const KIND_OF_ARGUMENT: Readonly<Record<string, Kind | "files">> = {
  "events get id": "events",
  "events update id": "events",
  "events copy id": "events",
  "events move id": "events",
  "events delete id": "events",
  "rm id": "events",
  "comment id": "events",
  "comments id": "events",
  "feeds remove id": "feeds",
  "profiles use name": "profiles",
  "profiles remove name": "profiles",
  "targets remove name": "targets",
  "targets test name": "targets",
  "import file": "files",
  "config get key": "keys",
  "config set key": "keys",
  "config unset key": "keys",
  "service calendars set calendar": "calendars",
  "service calendars remove calendar": "calendars",
  "service backup file": "files",
};

/** Values of `config set KEY`. */
const KIND_OF_KEY: Readonly<Record<string, Kind | readonly string[]>> = {
  calendar: "calendars",
  write_calendar: "calendars",
  label: "labels",
  timezone: "zones",
  hours: ["24", "12"],
  week_start: ["monday", "sunday", "saturday"],
  journal: ["on", "off"],
};

/** What stands at the cursor: a kind of values, files, or the words themselves. */
export function kindOf(
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
      return KIND_OF_COMMAND_FLAG[`${path.join(" ")} ${target.flag.long}`] ?? kindOfFlag(target.flag);
    case "argument": {
      const argument = command.arguments[target.index] ?? command.arguments.find(({ variadic }) => variadic);
      if (argument === undefined) return "none";
      if (argument.choices.length > 0) return withoutDescriptions(argument.choices);
      const name = `${path.join(" ")} ${argument.name}`;
      if (name === "config set value") return withCandidates(KIND_OF_KEY[args[0] ?? ""] ?? "none");
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
  return kind === undefined ? (KIND_OF_VALUE[value ?? ""] ?? "none") : withCandidates(kind);
}

function withCandidates(kind: Kind | readonly string[]): Kind | readonly Candidate[] {
  return typeof kind === "string" ? kind : withoutDescriptions(kind);
}

export function withoutDescriptions(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, description: "" }));
}
