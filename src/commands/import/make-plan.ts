import type { CalendarEvent } from "../../../contract/shapes.js";
import { localTimes } from "../../calendar/event-view.js";
import { isOccurrenceId } from "../../calendar/series.js";
import { addDays } from "../../calendar/zoned-time.js";
import { compareWithRecords, isSeriesRecord, type Known, seriesOf } from "../../import/plan.js";
import { describeWhen } from "../../output/event-when.js";
import type { ImportExamples, ImportReport } from "../../output/views/import.js";
import { firstFailure } from "../process-each.js";
import type { ImportRun } from "./import-run.js";
import { type Judged, judgeCandidate, type Settled } from "./judge-candidate.js";
import type { ImportStep } from "./write-step.js";

/** What an import would do. */
export interface ImportPlan {
  readonly steps: readonly ImportStep[];
  readonly settled: readonly Settled[];
  readonly counts: Omit<ImportReport, "source" | "rejected">;
  readonly examples: ImportExamples;
  /** How many events of the calendar came from the source before, and how many of them are not in the file any more. */
  readonly before: number;
  readonly missing: number;
  /** How many of the missing ones are deleted. */
  readonly pruned: number;
}

const EXAMPLES = 5;

/**
 * Compares a file with what was imported before, and what changed in it with the calendar: only that is read.
 * @param prune whether what is not in the file any more is deleted
 */
export async function makePlan(run: ImportRun, prune: boolean): Promise<ImportPlan> {
  const { read, records, drafter } = run;
  const { added, changed, cancelled, missing, unchanged, before } = compareWithRecords(
    read.source,
    records.byIdentity,
  );
  for (const event of added) await drafter.prepare(event);
  for (const { event } of changed) await drafter.prepare(event);
  const others = [...cancelled, ...(prune ? missing : [])];
  const deleted = new Set(
    others.filter(({ record }) => isSeriesRecord(record)).map(({ identity }) => identity),
  );
  // What is left of a series goes with it, and is unchanged where the file cancels it, too.
  const isPart = ({ identity, record }: Known) =>
    isOccurrenceId(record.id) && deleted.has(seriesOf(identity));
  const candidates: readonly Known[] = [...changed, ...others.filter((each) => !isPart(each))];
  const found = new Map<string, Judged>();
  const judging = { ...run, listed: await readListed(run, candidates) };
  const judgeAll = async (some: readonly Known[]) => {
    const failure = await firstFailure(some, async (known) => {
      found.set(known.identity, await judgeCandidate(judging, known, found));
    });
    if (failure !== undefined) throw failure;
  };
  await judgeAll(candidates.filter(({ event }) => event?.occurrenceOf === undefined));
  await judgeAll(candidates.filter(({ event }) => event?.occurrenceOf !== undefined));
  const created = added.map((event): Judged => ({ kind: "created", title: event.content.title, event }));
  const judged = [...created, ...found.values()];
  const entries = new Set(read.source.entries);
  const parts = others.filter((each) => isPart(each) && entries.has(each.identity)).length;
  const counted = countJudged(judged, unchanged + parts + read.superseded);
  const absent = new Set(missing.map(({ identity }) => identity));
  const pruned = counted.steps.filter(
    (step) => step.kind === "deleted" && absent.has(step.known.identity),
  ).length;
  return { ...counted, examples: examplesOf(judged, run), before, missing: missing.length, pruned };
}

/** From this number on, events are read from the list: 500 with a request, of which a service allows some hundreds at a time. */
const MANY = 100;

/** What the service's list has of many events that the file changes; nothing of few, or where it has no such list. */
async function readListed(
  { context, calendar }: ImportRun,
  known: readonly Known[],
): Promise<ReadonlyMap<string, CalendarEvent>> {
  const listed = new Map<string, CalendarEvent>();
  // No list has series.
  const isListed = ({ record }: Known) => record.deleted === undefined && !isSeriesRecord(record);
  const ids = new Set(known.filter(isListed).map(({ record }) => record.id));
  const days = known.flatMap(({ event }) => event?.content.start_at?.slice(0, 10) ?? []).sort();
  const [first = "", last = first] = [days[0], days.at(-1)];
  if (ids.size < MANY || first === "") return listed;
  const range = { from: addDays(first, -1), to: addDays(last, 1), timezone: "UTC", search: null };
  const list = await (await context.api()).listEvents({ calendarId: calendar.id, ...range });
  let pages = ids.size / 2;
  for await (const page of list?.pages ?? []) {
    for (const event of page) if (ids.delete(event.id)) listed.set(event.id, event);
    pages -= 1;
    // What is left is read one by one.
    if (ids.size === 0 || pages < 1) break;
  }
  return listed;
}

function countJudged(judged: readonly Judged[], unchanged: number) {
  const counts = { created: 0, updated: 0, unchanged, deleted: 0, conflicts: 0 };
  for (const { kind } of judged) counts[kind] += 1;
  return { steps: judged.filter((each) => !isSettled(each)), settled: judged.filter(isSettled), counts };
}

/** Titles of each kind; of a single event that is written, with its times. */
function examplesOf(judged: readonly Judged[], { context }: ImportRun) {
  const { timezone: zone, hours } = context.config.settings();
  const titlesOf = (kind: Judged["kind"]) => {
    const some = judged.filter((each) => each.kind === kind);
    const [only] = some;
    if (some.length > 1 || only === undefined || !("event" in only) || only.event === undefined)
      return some.slice(0, EXAMPLES).map(({ title }) => title);
    const { start_at = null, end_at = null, all_day = null } = only.event.content;
    const when = describeWhen(localTimes({ start_at, end_at, all_day }, zone), { year: true, hours, zone });
    return [`${only.title}  ${when.replace("  ", " ")}`.trimEnd()];
  };
  const [created, updated] = [titlesOf("created"), titlesOf("updated")];
  return { created, updated, deleted: titlesOf("deleted"), conflicts: titlesOf("conflicts") };
}

function isSettled(judged: Judged): judged is Settled {
  return judged.kind === "unchanged" || judged.kind === "conflicts";
}
