import { dateLines } from "../calendar/recurrence-lines.js";
import { isOccurrenceId, slotText, timesFrom } from "../calendar/series.js";
import { asUsageError, describeWithoutFlags } from "../errors.js";
import { type ImportEntry, type ImportItem, type Rejection, rejectEntry } from "./entry.js";
import { type DayWindow, occurrencesOf, slotOf, windowInstants } from "./occurrences.js";
import {
  type ImportEvent,
  type ImportRecord,
  type ImportSource,
  isSeriesRecord,
  type Known,
  seriesOf,
} from "./plan.js";
import { type RuleEngine, readSeries } from "./series.js";

interface Gathered {
  readonly source: ImportSource;
  readonly rejections: readonly Rejection[];
  /** Why repeating events are single ones, where the service stores series: sentences for the user. */
  readonly notes: readonly string[];
}

interface GatherOptions {
  readonly window: DayWindow;
  /** Null where nothing repeats. */
  readonly engine: RuleEngine | null;
  /** Whether the service stores series. */
  readonly storesSeries: boolean;
  readonly records: ReadonlyMap<string, ImportRecord>;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The events of a file: repeating ones as series or as their occurrences, of which those that the file changes are as it changes them. */
export function gatherEvents(items: readonly ImportItem[], options: GatherOptions): Gathered {
  const window = windowInstants(options.window);
  const rejections = items.filter((item) => item.kind === "rejected");
  const entries = items.filter((item) => item.kind === "event");
  const single = entries.filter(({ occurrenceOf }) => occurrenceOf === undefined);
  const masters = new Set(single.map(({ identity }) => identity));
  const cancelled = new Set(single.flatMap((entry) => (entry.cancelled ? [entry.identity] : [])));
  const affected = new Set(rejections.flatMap(({ affects }) => affects ?? []));
  const reader = createMasterReader({ ...options, affected, entries });
  const events = new Map<string, ImportEvent>();
  const add = (event: ImportEvent) => void events.set(event.identity, event);
  for (const entry of single.filter(({ cancelled: isCancelled }) => !isCancelled)) {
    const read = reader.read(entry);
    if ("reason" in read) rejections.push(read);
    else read.forEach(add);
  }
  const rejected = new Set(rejections.flatMap(({ identity }) => identity ?? []));
  const found = { ...options, masters, rejected, reader };
  const changes = entries.flatMap((entry) => changeOf(entry, found));
  for (const { isCancelled, event } of changes)
    if (isCancelled) cancelled.add(event.identity);
    else add(event);
  for (const event of reader.restored(new Set([...events.keys(), ...cancelled, ...affected]))) add(event);
  for (const identity of [...cancelled, ...affected]) events.delete(identity);
  for (const identity of rejected) masters.delete(identity);
  const withdrawn = changes.flatMap(({ isCancelled, event }) =>
    isCancelled ? withdrawnOf(event, found) : [],
  );
  return {
    source: { events, cancelled, masters, rejected, window, withdrawn },
    rejections,
    notes: reader.notes(),
  };
}

type Read = ReturnType<typeof readSeries>;

interface MasterOptions extends GatherOptions {
  /** Identities of which a change cannot be read. */
  readonly affected: ReadonlySet<string>;
  readonly entries: readonly ImportEntry[];
}

/** Reads single events and repeating ones, as the service stores them. */
function createMasterReader(options: MasterOptions) {
  const { engine, records, window, storesSeries, affected } = options;
  const series = new Map<string, Read>();
  const reasons = new Map<string, number>();
  const remembered = groupBy([...records].filter(([, { slot }]) => slot !== undefined));
  const changes = groupBy(
    options.entries.flatMap((entry) => (entry.occurrenceOf ? [[entry.identity, entry] as const] : [])),
  );
  const unread = groupBy([...affected].map((identity) => [identity, identity] as const));

  function readAsSeries(entry: ImportEntry, rules: RuleEngine): ImportEvent {
    const { identity, content } = entry;
    const before = records.get(identity);
    const known = remembered.get(identity) ?? [];
    const changed = new Set<number>();
    const left = (unread.get(identity) ?? []).map(([each]) => slotIn(each));
    // What cannot be read is left as it is: not made with a new series, and not deleted from one.
    const gone = isSeriesRecord(before) ? left.filter((slot) => before?.excepted?.includes(slot)) : left;
    for (const [each, { cancelled }] of changes.get(identity) ?? [])
      if (cancelled || isSingleRecord(records.get(each))) gone.push(slotIn(each));
      else changed.add(slotIn(each));
    const lines = dateLines("EXDATE", gone, { isAllDay: content.all_day === true });
    const recurrences = [...entry.recurrences, ...lines];
    const read = readSeries({ ...entry, recurrences }, { engine: rules, now: options.now, changes: changed });
    series.set(identity, read);
    const ours = known.filter(([, { deleted }]) => deleted !== "elsewhere").map(([each]) => slotIn(each));
    const { isSlot, excepted } = read;
    const exceptions = {
      ...{ excepted, isSlot, changed: new Set(ours) },
      ours: new Set([...ours, ...(before?.excepted ?? [])]),
    };
    return { identity, content: read.content, exceptions };
  }

  function isSingleBefore(identity: string): boolean {
    const known = remembered.get(identity) ?? [];
    return !isSeriesRecord(records.get(identity)) && known.some(([, record]) => isSingleRecord(record));
  }

  function readRepeating(entry: ImportEntry, rules: RuleEngine): readonly ImportEvent[] | Rejection {
    let reason: string;
    try {
      if (!storesSeries) reason = "the service stores no repeating events";
      else if (isSingleBefore(entry.identity)) reason = "it was imported so before";
      else return [readAsSeries(entry, rules)];
    } catch (error) {
      reason = reasonOf(error);
    }
    if (isSeriesRecord(records.get(entry.identity))) return rejectEntry(entry, reason);
    try {
      const found = occurrencesOf(entry, { window, expand: rules.expandRecurrence });
      if (storesSeries) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      return found;
    } catch (error) {
      return rejectEntry(entry, reasonOf(error));
    }
  }

  return {
    series,
    read(entry: ImportEntry): readonly ImportEvent[] | Rejection {
      const { identity, content, recurrences } = entry;
      if (affected.has(identity))
        return rejectEntry(entry, "the file has a change to it that cannot be imported");
      return recurrences.length === 0 || engine === null
        ? [{ identity, content }]
        : readRepeating(entry, engine);
    },
    /** Occurrences that the file does not change any more. @param others identities of those that are something else */
    restored(others: ReadonlySet<string>): readonly ImportEvent[] {
      return [...series].flatMap(([uid, { content: whole, excepted, isSlot }]) =>
        (remembered.get(uid) ?? []).flatMap(([identity, { id, deleted }]) => {
          const slot = slotIn(identity);
          const isChanged = isOccurrenceId(id) && (deleted ?? "begun") === "begun" && !others.has(identity);
          if (!isChanged || excepted.includes(slot) || !isSlot(slot)) return [];
          const { recurrences: _, ...content } = whole;
          const times = timesFrom(content, slot);
          return [{ identity, content: { ...content, ...times }, ...placeOf(uid, slot, whole.all_day) }];
        }),
      );
    },
    notes: () =>
      [...reasons].map(
        ([reason, count]) =>
          `${count} repeating ${count === 1 ? "event" : "events"} as single ones of ${window.first} to ${window.last}: ${reason}`,
      ),
  };
}

interface ChangeOptions extends GatherOptions {
  readonly masters: ReadonlySet<string>;
  readonly rejected: ReadonlySet<string>;
  readonly reader: Pick<ReturnType<typeof createMasterReader>, "series">;
}

/** The occurrence that an entry changes or cancels; empty for any other entry, and where there is none. */
function changeOf(entry: ImportEntry, options: ChangeOptions) {
  const { occurrenceOf, content, identity, cancelled: isCancelled } = entry;
  const { window, masters, records, rejected, reader } = options;
  if (occurrenceOf === undefined) return [];
  const { uid } = occurrenceOf;
  const instant = Date.parse(occurrenceOf.slot);
  const isKnown = isSeriesRecord(records.get(uid));
  if (isKnown && rejected.has(uid)) return [];
  const series = reader.series.get(uid);
  const isSlot = series === undefined ? isKnown && !masters.has(uid) : series.isSlot(instant);
  const allDay = (series?.content ?? content).all_day;
  if (isSlot && !isSingleRecord(records.get(identity)))
    return [{ isCancelled, event: { identity, content, ...placeOf(uid, instant, allDay) } }];
  const slot = slotOf(instant, content, window);
  const { from, to } = windowInstants(window);
  if (masters.has(uid) && (slot < from || slot >= to)) return [];
  return [{ isCancelled, event: { identity, content, slot } }];
}

/** What stands for an occurrence that the file cancels without its series, and that was never changed. */
function withdrawnOf(
  { identity, occurrenceOf, slot }: ImportEvent,
  options: ChangeOptions,
): readonly Known[] {
  const { records, masters } = options;
  const series = records.get(occurrenceOf?.series ?? "");
  if (!occurrenceOf || !series || masters.has(occurrenceOf.series) || records.has(identity)) return [];
  return [{ identity, record: { id: `${series.id}_${occurrenceOf.slot}`, hash: "", left: "", slot } }];
}

function placeOf(series: string, slot: number, allDay: boolean | undefined) {
  return { slot, occurrenceOf: { series, slot: slotText(slot, allDay === true) } };
}

/** Whether an occurrence is an event of its own in the calendar. */
function isSingleRecord(record: ImportRecord | undefined): boolean {
  return record !== undefined && record.deleted !== "here" && !isOccurrenceId(record.id);
}

/** By the identities of their series. */
function groupBy<T>(occurrences: readonly (readonly [string, T])[]) {
  const groups = new Map<string, (readonly [string, T])[]>();
  for (const each of occurrences) {
    const group = groups.get(seriesOf(each[0]));
    if (group === undefined) groups.set(seriesOf(each[0]), [each]);
    else group.push(each);
  }
  return groups;
}

/** When an occurrence would start by its rule (ms), as its identity says. */
function slotIn(identity: string): number {
  return Date.parse(identity.slice(identity.lastIndexOf(" ") + 1));
}

function reasonOf(error: unknown): string {
  return describeWithoutFlags(asUsageError(error)).replace(/^recurrences: /, "");
}
