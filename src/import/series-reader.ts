import { slotText } from "../../contract/extensions.js";
import { dateLines } from "../calendar/recurrence-lines.js";
import { isOccurrenceId, timesFrom } from "../calendar/series.js";
import { usageError } from "../errors.js";
import { wireTime } from "./content.js";
import { type ImportEntry, occurrenceIdentity } from "./entry.js";
import {
  type ImportEvent,
  type ImportRecord,
  isMoved,
  isSeriesRecord,
  type Known,
  seriesOf,
} from "./plan.js";
import { type RuleEngine, readSeries, type SeriesExceptions } from "./series.js";

interface ReaderOptions {
  readonly entries: readonly ImportEntry[];
  /** Identities of which a change cannot be read. */
  readonly affected: ReadonlySet<string>;
  readonly records: ReadonlyMap<string, ImportRecord>;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

interface SeriesEvent extends ImportEvent {
  readonly exceptions: SeriesExceptions;
}

export type SeriesReader = ReturnType<typeof createSeriesReader>;

/** Reads the repeating events of a file as series, with what it and the records have of their occurrences. */
export function createSeriesReader({ entries, affected, records, now }: ReaderOptions) {
  const series = new Map<string, SeriesEvent>();
  const entriesBySeries = groupBySeries(entries.filter(({ occurrenceOf }) => occurrenceOf !== undefined));
  const unread = groupBySeries([...affected].map((identity) => ({ identity })));
  const remembered = groupBySeries(
    [...records].flatMap(([identity, record]) => (record.slot === undefined ? [] : [{ identity, record }])),
  );
  return {
    /** Those that were read. */
    series: series as ReadonlyMap<string, SeriesEvent>,
    /** @throws CliError usage for what is not stored as a series */
    read(entry: ImportEntry, engine: RuleEngine): SeriesEvent {
      const { identity, content } = entry;
      const before = records.get(identity)?.series?.excepted ?? [];
      const occurrences = remembered.get(identity) ?? [];
      if (!isSeriesRecord(records.get(identity)) && occurrences.some(({ record }) => isSingleRecord(record)))
        throw usageError("it was imported so before");
      const { changes, gone } = slotsOf(identity, { records, entriesBySeries, unread });
      const lines = dateLines("EXDATE", gone, { isAllDay: content.all_day === true });
      const recurrences = [...entry.recurrences, ...lines];
      const { content: whole, ...read } = readSeries({ ...entry, recurrences }, { engine, now, changes });
      const isOurs = (slot: number): boolean => {
        const { deleted } = records.get(occurrenceIdentity(identity, wireTime(slot))) ?? {};
        return before.includes(slot) || deleted === "here" || deleted === "begun";
      };
      const event = { identity, content: whole, exceptions: { ...read, isOurs } };
      series.set(identity, event);
      return event;
    },
    /** Occurrences that the file does not change any more. @param others identities of those that are something else */
    restored(others: ReadonlySet<string>): readonly ImportEvent[] {
      return [...series].flatMap(([uid, event]) => {
        // What was changed of a series that moves is made anew.
        const known = isMoved(records.get(uid), event) ? [] : (remembered.get(uid) ?? []);
        return restoredOf(event, known, others);
      });
    },
  };
}

interface FileSeries extends Pick<ReaderOptions, "records"> {
  /** Changes of single events, and identities of those that cannot be read, both by series. */
  readonly entriesBySeries: ReadonlyMap<string, readonly ImportEntry[]>;
  readonly unread: ReadonlyMap<string, readonly Identified[]>;
}

/** Changes of single events, and what is left out besides the exceptions of the file (ms). */
function slotsOf(uid: string, { records, entriesBySeries, unread }: FileSeries) {
  const record = records.get(uid);
  // What cannot be read is left as it is: not made with a new series, and not deleted from one.
  const isLeftOut = (slot: number) => !isSeriesRecord(record) || record?.series?.excepted.includes(slot);
  const entries = entriesBySeries.get(uid) ?? [];
  const isGone = ({ identity, cancelled }: ImportEntry) => cancelled || isSingleRecord(records.get(identity));
  return {
    changes: new Set(entries.filter((each) => !isGone(each)).map(slotIn)),
    gone: [...entries.filter(isGone).map(slotIn), ...(unread.get(uid) ?? []).map(slotIn).filter(isLeftOut)],
  };
}

/** Occurrences that were changed on their own, as their series says. @param others identities of those that are something else */
function restoredOf(
  { identity: uid, content: whole, exceptions }: SeriesEvent,
  known: readonly Known[],
  others: ReadonlySet<string>,
): readonly ImportEvent[] {
  return known.flatMap(({ identity, record: { id, deleted = "begun" } }) => {
    const slot = slotIn({ identity });
    const isChanged = isOccurrenceId(id) && deleted === "begun" && !others.has(identity);
    if (!isChanged || exceptions.excepted.includes(slot) || !exceptions.isSlot(slot)) return [];
    const content = { ...whole, ...timesFrom(whole, slot), recurrences: undefined };
    return [{ identity, content, ...placeInSeries(uid, slot, whole.all_day) }];
  });
}

/** Where an occurrence is in its series. @param slot when it starts by the rule (ms) */
export function placeInSeries(series: string, slot: number, allDay: boolean | undefined) {
  return { slot, occurrenceOf: { series, slot: slotText(slot, allDay === true) } };
}

/** Whether an occurrence is an event of its own in the calendar. */
export function isSingleRecord(record: ImportRecord | undefined): boolean {
  return record !== undefined && record.deleted !== "here" && !isOccurrenceId(record.id);
}

interface Identified {
  /** Of an occurrence. */
  readonly identity: string;
}

function groupBySeries<T extends Identified>(occurrences: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of occurrences) {
    const uid = seriesOf(each.identity);
    const group = groups.get(uid) ?? [];
    group.push(each);
    groups.set(uid, group);
  }
  return groups;
}

/** When an occurrence would start by its rule (ms). */
function slotIn({ identity }: Identified): number {
  return Date.parse(identity.slice(identity.lastIndexOf(" ") + 1));
}
