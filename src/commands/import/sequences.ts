import { type ImportRecord, isSeriesRecord, seriesOf } from "../../events/imported/records.js";
import type { ImportEntry, ImportItem } from "./entry.js";

/** What SEQUENCE means between imports. @see RFC 5545 §3.8.7.4 */

interface Remembered {
  readonly records: ReadonlyMap<string, ImportRecord>;
  readonly sequences: ReadonlyMap<string, number>;
}

/**
 * Leaves out the events of a file of which an earlier import had a newer version. A change is also older if its series was cancelled
 * with a higher SEQUENCE.
 * @returns the other items, the events left out, and a note for each of these
 */
export function withoutOlder(items: readonly ImportItem[], { records, sequences }: Remembered) {
  const there = new Set(
    [...records].flatMap(([each, { deleted }]) => (deleted === "here" ? [] : [each, seriesOf(each)])),
  );
  const older = new Set<ImportEntry>();
  const notes: string[] = [];
  const events = items.filter((item) => item.kind === "event");
  const isChange = ({ occurrenceOf }: ImportEntry) => occurrenceOf !== undefined;
  // Series first.
  for (const entry of [...events.filter((each) => !isChange(each)), ...events.filter(isChange)]) {
    const { line, title, identity, occurrenceOf: { uid } = { uid: identity } } = entry;
    const ofSeries = there.has(uid) ? 0 : (sequences.get(uid) ?? 0);
    const known = Math.max(ofSeries, sequences.get(identity) ?? 0);
    const { sequence = known } = entry;
    if (sequence < known) {
      older.add(entry);
      notes.push(
        `line ${line}: "${title}": skipped: its SEQUENCE ${sequence} is lower than ${known}, which was imported; --overwrite imports it`,
      );
    } else there.add(identity);
  }
  const isRead = (item: ImportItem) => item.kind === "rejected" || !older.has(item);
  return { items: items.filter(isRead), older: [...older], notes };
}

/**
 * Identities of changed or cancelled occurrences that stay as they are, though the file has their series without them: changes that
 * came before their series, and in an email those that are newer than the series.
 */
export function keptBeside(
  entries: readonly ImportEntry[],
  { records, sequences, isMail }: Remembered & { readonly isMail: boolean },
): readonly string[] {
  const own = new Set(entries.map(({ identity }) => identity));
  const repeating = entries.filter(({ recurrences, cancelled }) => recurrences.length > 0 && !cancelled);
  const series = new Map(repeating.map(({ identity, sequence = 0 }) => [identity, sequence]));
  const isKept = (identity: string): boolean => {
    const ofSeries = series.get(seriesOf(identity));
    if (ofSeries === undefined || own.has(identity)) return false;
    const { isAlone = false, deleted } = records.get(identity) ?? {};
    const isCancelled = deleted === "here" && !isSeriesRecord(records.get(seriesOf(identity)));
    const sequence = sequences.get(identity) ?? ofSeries;
    return (isAlone && !isCancelled && sequence >= ofSeries) || (isMail && sequence > ofSeries);
  };
  return [...new Set([...records.keys(), ...sequences.keys()])].filter(isKept);
}
