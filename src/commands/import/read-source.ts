import { statSync } from "node:fs";
import { basename } from "node:path";
import { requireConfirmation } from "../../cli/command.js";
import { createNamer } from "../../cli/items.js";
import { emptyValueError, missingFlagsError, usageError } from "../../errors.js";
import { readDayFlag } from "../../events/input/date-flags.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { truncateText, wrapMessage } from "../../output/table/text-width.js";
import type { Run } from "../../run/run.js";
import { addDays, localDate } from "../../time/zoned-time.js";
import { type CollectedEntries, type CollectOptions, collectEntries } from "./collect.js";
import type { Rejection } from "./entry.js";
import {
  type ImportFile,
  type ImportOptions,
  MAX_IMPORT_BYTES,
  readImportFile,
  tooLargeError,
} from "./read.js";
import type { DayWindow } from "./series-events.js";

/** Flags as typed. */
export interface ImportFlags extends Pick<ImportOptions, "as" | "columns" | "dates" | "truncate"> {
  /** A path, or `-` for stdin. */
  readonly file?: string;
  readonly source?: string;
  readonly from?: string;
  readonly to?: string;
  readonly label?: string;
  readonly overwrite?: boolean;
  /** True, `all`, or the file that follows the flag. */
  readonly prune?: boolean | string;
  readonly rejects?: string;
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

/** What is imported, and how. */
export interface ImportJob {
  readonly path: string;
  /** The file, as messages name it. */
  readonly name: string;
  readonly source: string;
  readonly prune: boolean | "all";
  /** Where what was rejected is written. */
  readonly rejects: string | undefined;
  readonly isConfirmed: boolean;
  /** Whether the terminal can confirm it. */
  readonly canAsk: boolean;
}

/** @throws CliError usage that names everything that is missing */
export function readJob({ terminal }: Run, flags: ImportFlags): ImportJob {
  const { path, prune } = readPath(flags);
  const isConfirmed = flags.yes === true;
  const canAsk = terminal.prompt.available && path !== "-";
  const unsaid = isConfirmed || canAsk ? [] : ["--yes"];
  if (path === undefined)
    throw missingFlagsError(["FILE", ...unsaid], "calctl import -h shows what it takes");
  if (path === "-" && flags.source === undefined) throw missingFlagsError(["--source", ...unsaid]);
  const source = flags.source ?? basename(path);
  if (source === "") throw emptyValueError(flags.source === undefined ? "FILE" : "--source");
  const { rejects } = flags;
  checkRejects(path, rejects);
  return { path, name: path === "-" ? "stdin" : path, source, prune, rejects, isConfirmed, canAsk };
}

/** A file that follows `--prune` is no value of it. */
function readPath({ file, prune = false }: ImportFlags) {
  if (typeof prune === "boolean" || prune === "all") return { path: file, prune } as const;
  if (file === undefined) return { path: prune, prune: true } as const;
  throw usageError(`--prune: "${prune}" is not a valid value`, "use --prune, or --prune=all");
}

/** @throws CliError usage where it would be written over the file that is imported */
function checkRejects(path: string, rejects: string | undefined): void {
  if (rejects === "") throw emptyValueError("--rejects");
  if (rejects === "-")
    throw usageError("--rejects: - is not a file", "name a file, or read rejected in -o json");
  if (rejects !== undefined && isSameFile(path, rejects))
    throw usageError("--rejects: this is the file that is imported", "name another file");
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

/** Columns of a title in a message. */
const MAX_SHOWN_TITLE = 60;

/** What was read. */
export interface ReadSource
  extends Pick<ImportFile, "isComplete" | "isMail" | "header" | "footer">,
    Pick<CollectedEntries, "source" | "rejections" | "unknown" | "versions"> {
  /** How many events and rejected items the file has. */
  readonly size: number;
  /** How many of them are left out: the file has them twice, or the file or an earlier import has a newer version. */
  readonly superseded: number;
}

/**
 * Reads the file. What cannot be imported is said on stderr, once it is known what there was.
 * @returns what gives the events of the file
 * @throws CliError usage for a file that cannot be opened, and where nothing confirms the import; rejected for a file that is
 * no calendar or table
 */
export async function readSource(
  run: Run,
  job: ImportJob,
  flags: ImportFlags,
): Promise<(known: Pick<CollectOptions, "records" | "sequences" | "storesSeries">) => ReadSource> {
  const { output, terminal, now } = run;
  const { path, name } = job;
  const window = await readWindow(run, flags);
  const limit = { bytes: MAX_IMPORT_BYTES, error: () => tooLargeError(name) };
  const bytes = await terminal.input.bytes(path, "FILE", limit);
  requireConfirmation(job.isConfirmed, job.canAsk);
  const { items, notes, ...file } = await readImportFile(bytes, {
    ...flags,
    name,
    zone: window.zone,
  });
  const repeats = items.some((item) => item.kind === "event" && item.recurrences.length > 0);
  const engine = repeats ? await import("../../time/recurrence/recurrence.js") : null;
  // Lines of the other formats do not change each other.
  const isComplete = file.isComplete || file.format !== "ics";
  const options = { window, engine, isComplete, isMail: file.isMail === true };
  return (known) => {
    const collected = collectEntries(items, { ...options, now: now(), ...known });
    for (const note of [...notes, ...collected.notes]) output.note(note);
    nameAll(collected.strays, output.note);
    nameRejections(run, collected.rejections);
    const superseded = file.superseded + collected.superseded;
    return { ...file, ...collected, superseded, size: items.length + file.superseded };
  };
}

function nameAll(sentences: readonly string[], say: (text: string) => void): void {
  const namer = createNamer(say);
  for (const sentence of sentences) namer.name(sentence);
  namer.end();
}

function nameRejections({ machine, output, terminal }: Run, rejections: readonly Rejection[]): void {
  const width = machine.stderr.isTerminal ? terminal.prompt.columns : Number.POSITIVE_INFINITY;
  const namer = createNamer((text) => {
    for (const part of wrapMessage(sanitizeLine(text), width)) output.warn(part);
  });
  for (const { line, reason, title } of rejections)
    namer.name(
      `line ${line}: ${title === null ? "" : `"${truncateText(title, MAX_SHOWN_TITLE)}": `}${reason}`,
    );
  namer.end();
}

/** By default the year from today on. */
async function readWindow({ config, now, output }: Run, flags: ImportFlags): Promise<DayWindow> {
  const { timezone: zone } = config.settings();
  const options = { zone, strict: false, now, echo: output.note };
  const readDay = async (flag: "from" | "to", edge: "first" | "last") => {
    const text = flags[flag];
    return text === undefined ? null : readDayFlag(text, { ...options, source: `--${flag}`, edge });
  };
  const first = (await readDay("from", "first")) ?? localDate(now(), zone);
  const last = (await readDay("to", "last")) ?? addDays(first, 365);
  if (last < first) throw usageError(`--to: ${last} is before ${first}`, "write a later day");
  return { first, last, zone };
}
