import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { createNamer } from "../../cli/items.js";
import { CliError, fileProblemOf, usageError, wrapError } from "../../errors.js";
import { type ChosenCalendar, chooseCalendar } from "../../events/find/calendar-choice.js";
import { type ImportRecords, openRecords } from "../../events/imported/records.js";
import { describeReason } from "../../output/error-report.js";
import { isUnicodeLocale } from "../../output/style.js";
import { firstNames } from "../../output/words.js";
import type { Run } from "../../run/run.js";
import { findImported, type ImportedRow, withImportLock } from "../../state/imported.js";
import { type Applied, applyPlan } from "./apply.js";
import { DATE_ORDERS } from "./csv.js";
import { shortHash } from "./entry.js";
import { createDrafter, type ImportPlan, makePlan } from "./make-plan.js";
import { encodeText, IMPORT_FORMATS } from "./read.js";
import { type ImportFlags, type ImportJob, type ReadSource, readJob, readSource } from "./read-source.js";
import { createImportView, describeImport, type ImportReport, importView } from "./view.js";

export function registerImport(command: Command, runOf: RunOf): void {
  command
    .argument("[file]", "iCalendar, CSV or NDJSON file, - for stdin")
    .optionsGroup("Synchronizing")
    .option("--source <name>", "name of the source, by which later runs find its events (default: file name)")
    .option(
      "--prune [all]",
      "delete events of this source that are no longer in the file; =all allows deleting most of them",
    )
    .option(
      "--overwrite",
      "overwrite events that were changed in the calendar, or imported in a newer version",
    )
    .option("-y, --yes", "skip the confirmation")
    .optionsGroup("Reading the file")
    .addOption(
      command.createOption("--as <format>", "format of the file (default: detected)").choices(IMPORT_FORMATS),
    )
    .option("--columns <names>", 'columns of a CSV file: title=Subject,start="Start Date"')
    .addOption(
      command
        .createOption("--dates <order>", "order of day, month and year in a CSV file, if not ISO 8601")
        .choices(DATE_ORDERS),
    )
    .option("--label <number|id|name>", "label for events without one")
    .option("--from <date>", "first day when a series is split into single events (default: today)")
    .option("--to <date>", "last day of these events (default: a year later)")
    .option("--truncate", "cut texts that are too long, instead of rejecting the event")
    .option("--rejects <file>", "write rejected entries to a file of the same format");
  describeCommand(command, {
    prints: { view: importView, count: "one" },
    examples: () => [
      [
        "Preview what a file would change, then import it",
        "calctl events list -c Work --days 7 -o ics >work.ics",
        "calctl import work.ics -c Family --dry-run",
        "calctl import work.ics -c Family --yes",
      ],
      [
        "Keep one calendar in sync with another, from cron",
        "calctl events list -c Work -o ics | calctl import - -c Family --source work --prune --yes",
      ],
    ],
  });
  addAction<ImportFlags>(command, runOf, runImport);
}

/** What a file would change. */
interface Planned {
  readonly job: ImportJob;
  readonly read: ReadSource;
  /** What is remembered, and its rows when the plan was made. */
  readonly records: ImportRecords;
  readonly rows: readonly ImportedRow[];
  readonly plan: ImportPlan;
}

/** Synchronizes a calendar with a file: prints the plan, asks, and carries it out. */
export async function runImport(run: Run, flags: ImportFlags): Promise<void> {
  run.output.of(importView);
  const job = readJob(run, flags);
  const collect = await readSource(run, job, flags);
  const calendar = await chooseCalendar(run, "writeCalendar");
  const drafter = await createDrafter(run, calendar, flags.label);
  const storesSeries = await (await run.api()).hasExtension("recurrences", calendar.id);
  const { dryRun } = run.flags;
  const source = shortHash(ownerOf(run, job, calendar));
  const state = await run.state.open();
  const readRows = () => state.read((db) => findImported(db, source));
  const shared = { run, calendarId: calendar.id, drafter };
  const planWith = async (rows: readonly ImportedRow[]): Promise<Planned> => {
    const records = openRecords(state, source, rows);
    for (const problem of records.problems) run.output.warn(problem);
    const overwrite = flags.overwrite === true;
    const sequences = overwrite ? new Map() : records.sequences;
    const read = collect({ records: records.byIdentity, sequences, storesSeries });
    requireSomething(run, { job, read });
    const prune = job.prune !== false && noPruneReason(read) === null;
    const plan = await makePlan({ ...shared, read, records, prune, overwrite });
    for (const note of notesOf({ job, read, plan }, drafter.notes())) run.output.note(note);
    if (!dryRun) await confirmPlan(run, { job, read, plan }, calendar);
    return { job, read, records, rows, plan };
  };
  // Nothing is locked while a person thinks.
  const isUnlocked = dryRun || job.canAsk;
  const preview = isUnlocked ? await planWith(await readRows()) : null;
  const apply = async () => {
    const rows = await readRows();
    if (preview !== null) requireSameRows(preview, rows);
    const planned = preview ?? (await planWith(rows));
    const { read, records, plan } = planned;
    writeRejects(run, planned);
    const applied = await applyPlan({ ...shared, source: job.source, records }, plan);
    if (applied.stopped === undefined) await records.noteSequences(read.versions);
    return { ...planned, applied };
  };
  const { applied, ...planned } =
    preview !== null && dryRun ? { ...preview, applied: null } : await withImportLock(state, source, apply);
  const output = run.output.of(createImportView(dryRun ? planned.plan.examples : {}));
  if (applied === null || applied.done > 0 || applied.stopped === undefined)
    await output.print({ ...reportOf(planned), ...applied?.counts }, "the import was done");
  reportFailures(run, planned, applied);
}

/** @throws CliError changed where another import, or an undo, has written since the plan was made */
function requireSameRows({ rows }: Planned, current: readonly ImportedRow[]): void {
  if (JSON.stringify(rows) === JSON.stringify(current)) return;
  const problem = "another import of this source, or an undo of one, ran since the plan was made";
  throw new CliError("changed", problem, { hint: "run the same command again" });
}

/** @throws CliError rejected where all was rejected */
function requireSomething(run: Run, { job, read }: Pick<Planned, "job" | "read">): void {
  if (read.rejections.length === 0 || read.rejections.length < read.size) return;
  writeRejects(run, { job, read });
  throw new CliError("rejected", `nothing of ${job.name} can be imported`);
}

/** Each profile, service, calendar and source has its own records. */
function ownerOf({ config, machine }: Run, { source }: ImportJob, { id }: ChosenCalendar): readonly string[] {
  const { profile, service } = config.settings();
  const place = service.kind === "local" ? machine.dataDirectory() : service.baseUrl.value;
  return [profile ?? "", place, id, source];
}

/** Conflicts that a note names. */
const MAX_NAMED = 5;

/** @param others notes of the labels and attendees that were not found */
function notesOf(
  { job, read, plan }: Pick<Planned, "job" | "read" | "plan">,
  others: readonly string[],
): readonly string[] {
  const conflicts = plan.untouched.flatMap(({ kind, title }) => (kind === "conflicts" ? [title] : []));
  const kept = firstNames(conflicts, MAX_NAMED);
  return [
    // An email that cancels events finds only those of its source.
    ...(read.unknown > 0 && read.isMail === true
      ? [
          `${countOf(read.unknown, "cancelled event")} did not come from ${job.source}: name the right source with --source`,
        ]
      : []),
    ...others,
    ...(conflicts.length > 0 ? [`changed or deleted in the calendar, and left alone: ${kept}`] : []),
  ];
}

/** Shows the plan and asks where something would be written. @throws CliError interrupted for no, usage without a terminal */
async function confirmPlan(
  run: Run,
  planned: Pick<Planned, "job" | "read" | "plan">,
  calendar: ChosenCalendar,
): Promise<void> {
  const { job, plan } = planned;
  const { before, missing, pruned, steps, examples } = plan;
  const isMost = job.prune === true && pruned > 0 && isOtherFile(planned);
  if (steps.length === 0 || (job.isConfirmed && !isMost)) return;
  const { prompt } = run.terminal;
  if (!prompt.available || job.path === "-")
    throw usageError(
      `--prune: the file has ${before === missing ? "none" : "fewer than half"} of the ${before} events imported earlier from ${job.source}`,
      "check the plan with --dry-run; if it is right, use --prune=all; if this is another file, give it a --source of its own",
    );
  const place = calendar.name || calendar.id;
  run.output.warn(`${job.source} to ${place}:`);
  const unicode = isUnicodeLocale(run.machine.process);
  const lines = describeImport(reportOf(planned), { examples, width: prompt.columns, unicode });
  for (const line of lines) run.output.warn(line);
  const questions = [
    ...(job.isConfirmed ? [] : [questionOf(plan, place)]),
    ...(isMost ? [`Delete ${pruned} of the ${before} events imported earlier from ${job.source}?`] : []),
  ];
  for (const question of questions)
    if (!(await prompt.confirm(question))) throw new CliError("interrupted", "nothing was imported");
}

function questionOf({ counts, steps }: ImportPlan, place: string): string {
  const deleted = countOf(counts.deleted, "event");
  const written = steps.length - counts.deleted;
  if (written === 0) return `Delete ${deleted} of ${place}?`;
  return `Write ${countOf(written, "change")} to ${place}${counts.deleted > 0 ? `, and delete ${deleted}` : ""}?`;
}

/** So few events may be replaced by others, if one of them stays. */
const FEW = 3;

/** Whether the file has fewer than half of the events that came from its source before. */
function isOtherFile({ read, plan: { before, missing } }: Pick<Planned, "read" | "plan">): boolean {
  const { events, rejected } = read.source;
  const isSmaller = new Set([...events.keys(), ...rejected]).size * 2 < before;
  return before > missing ? (before - missing) * 2 < before && (before > FEW || isSmaller) : before > 0;
}

/** Why nothing is deleted because it is missing; null otherwise. */
function noPruneReason(read: ReadSource): string | null {
  const { source, rejections } = read;
  if (!read.isComplete) return "the file is cut short, or its last line has no end";
  if (read.isMail === true) return "an email does not contain all events of its source";
  if (source.events.size === 0) return "the file has no events";
  const isUnknown = rejections.some(({ identity }) => identity === undefined);
  return isUnknown ? "what was rejected may be among them" : null;
}

/** What was done, or with a plan alone would be. */
function reportOf({ job, read, plan: { counts } }: Pick<Planned, "job" | "read" | "plan">): ImportReport {
  const rejected = read.rejections.map(({ line, reason, title }) => ({ line, reason, title }));
  return { source: job.source, ...counts, rejected };
}

/**
 * In the format of the file, so that it can be imported once it is corrected; empty where nothing was rejected.
 * @throws CliError usage: nothing of the file was written to the calendar yet
 */
function writeRejects({ flags }: Run, { job: { rejects }, read }: Pick<Planned, "job" | "read">): void {
  if (rejects === undefined || flags.dryRun) return;
  const { header, footer, rejections } = read;
  try {
    const texts = rejections.map(({ text }) => (text.endsWith("\n") ? text : `${text}\n`));
    writeFileSync(rejects, texts.length === 0 ? "" : encodeText([header, ...texts, footer].join("")));
  } catch (cause) {
    throw usageError(
      `--rejects: ${rejects} cannot be written (${fileProblemOf(cause)})`,
      "choose a file in a folder that you can write to",
    );
  }
}

/** @throws CliError for what was rejected, failed or not done */
function reportFailures(
  { output: { warn, note } }: Run,
  { job, read, plan }: Planned,
  applied: Applied | null,
): void {
  const { rejections, size } = read;
  const reason = job.prune === false ? null : noPruneReason(read);
  const kept = `${countOf(plan.missing, "event")} no longer in ${job.name}`;
  if (plan.missing > 0 && job.prune === false && read.isMail !== true)
    note(`${kept}: kept; --prune deletes ${plan.missing === 1 ? "it" : "them"}`);
  const { failures = [], stopped, done = 0 } = applied ?? {};
  const namer = createNamer(warn);
  for (const { title, error } of failures) namer.name(`"${title}": ${describeReason(error)}`);
  namer.end();
  const total = plan.steps.length;
  if (stopped !== undefined) throw describeStop(stopped, { done, total });
  const [first] = failures;
  if (first !== undefined && done === 0) throw first.error;
  const problems = [
    ...(failures.length > 0 ? [`${failures.length} of ${countOf(total, "change")} failed`] : []),
    ...(rejections.length > 0 ? [`${rejections.length} of ${countOf(size, "event")} rejected`] : []),
    ...(plan.missing > 0 && reason !== null ? [`${kept}, and not deleted: ${reason}`] : []),
  ];
  if (problems.length > 0) throw new CliError("partial", problems.join("; "));
}

/** `3 events` */
function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** What ended the writes, with how far they came. */
function describeStop(
  error: unknown,
  { done, total }: { readonly done: number; readonly total: number },
): unknown {
  if (!(error instanceof CliError) || done === 0) return error;
  const code = error.code === "interrupted" ? error.code : "partial";
  const message = `${done} of ${countOf(total, "change")} were written: ${error.message}`;
  return wrapError(error, code, message, { hint: "run the same command again to continue" });
}
