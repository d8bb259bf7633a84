import { firstNames } from "../../calendar/first-names.js";
import { CliError, usageError } from "../../errors.js";
import { shortHash } from "../../import/content-hash.js";
import { isUnicodeLocale } from "../../output/style.js";
import { createImportView, describeImport, importView } from "../../output/views/import.js";
import { findImported, type ImportedRow, withImportLock } from "../../state/imported.js";
import { type ChosenCalendar, chooseCalendar } from "../calendar-choice.js";
import { applyPlan } from "./apply.js";
import { createDrafter } from "./drafts.js";
import type { ImportRun } from "./import-run.js";
import { type ImportPlan, makePlan } from "./make-plan.js";
import { type ImportFlags, type ImportJob, readJob, readSource } from "./read-source.js";
import { openRecords } from "./records.js";
import { countOf, noPruneReason, reportFailures, reportOf, writeRejects } from "./report.js";

/** A run with its plan. */
interface PlannedRun {
  /** What was remembered when it was made. */
  readonly rows: readonly ImportedRow[];
  readonly run: ImportRun;
  readonly plan: ImportPlan;
}

/** Synchronizes a calendar with a file: prints the plan, asks, and carries it out. */
export async function runImport(context: ImportRun["context"], flags: ImportFlags): Promise<void> {
  context.output.of(importView);
  const job = readJob(context, flags);
  const gather = await readSource(context, job, flags);
  const calendar = await chooseCalendar(context, "writeCalendar");
  const drafter = await createDrafter(context, calendar, flags.label);
  const storesSeries = await (await context.api()).hasExtension("recurrences", calendar.id);
  const { dryRun } = context.flags;
  const source = shortHash(ownerOf(context, job, calendar));
  const state = await context.state.open();
  const readRows = () => state.read((db) => findImported(db, source));
  const planWith = async (rows: readonly ImportedRow[]): Promise<PlannedRun> => {
    const records = openRecords(source, rows);
    for (const problem of records.problems) context.output.warn(problem);
    const sequences = flags.overwrite === true ? new Map() : records.sequences;
    const read = gather({ records: records.byIdentity, sequences, storesSeries });
    const run = { context, flags, job, read, calendar, drafter, state, records };
    requireSomething(run);
    const plan = await planRun(run);
    if (!dryRun) await confirmPlan(run, plan);
    return { rows, run, plan };
  };
  // Nothing is locked while a person thinks.
  const isUnlocked = dryRun || job.canAsk;
  const preview = isUnlocked ? await planWith(await readRows()) : null;
  const apply = async () => {
    const rows = await readRows();
    if (preview !== null) requireSameRows(preview, rows);
    const { run, plan } = preview ?? (await planWith(rows));
    writeRejects(run);
    return { run, plan, applied: await applyPlan(run, plan) };
  };
  const { run, plan, applied } =
    preview !== null && dryRun ? { ...preview, applied: null } : await withImportLock(state, source, apply);
  const output = context.output.of(createImportView(dryRun ? plan.examples : {}));
  if (applied === null || applied.done > 0 || applied.stopped === undefined)
    await output.print({ ...reportOf(run, plan), ...applied?.counts }, "the import was done");
  reportFailures(run, { plan, applied });
}

/** @throws CliError changed where another import, or an undo, has written since the plan was made */
function requireSameRows({ rows }: PlannedRun, current: readonly ImportedRow[]): void {
  if (JSON.stringify(rows) === JSON.stringify(current)) return;
  const problem = "another import of this source, or an undo of one, ran since the plan was made";
  throw new CliError("changed", problem, { hint: "run the same command again" });
}

/** @throws CliError rejected where all was rejected */
function requireSomething(run: ImportRun): void {
  const { job, read } = run;
  if (read.rejections.length === 0 || read.rejections.length < read.size) return;
  writeRejects(run);
  throw new CliError("rejected", `nothing of ${job.name} can be imported`);
}

/** Each profile, service, calendar and source has its own records. */
function ownerOf(
  { config, machine }: ImportRun["context"],
  { source }: ImportJob,
  { id }: ChosenCalendar,
): readonly string[] {
  const { profile, service } = config.settings();
  const place = service.kind === "local" ? machine.dataDirectory() : service.baseUrl.value;
  return [profile ?? "", place, id, source];
}

/** Conflicts that a note names. */
const MAX_NAMED = 5;

async function planRun(run: ImportRun): Promise<ImportPlan> {
  const { context, job, read, drafter } = run;
  const plan = await makePlan(run, job.prune !== false && noPruneReason(read) === null);
  noteUnknownCancelled(run);
  for (const note of drafter.notes()) context.output.note(note);
  const conflicts = plan.settled.flatMap(({ kind, title }) => (kind === "conflicts" ? [title] : []));
  if (conflicts.length > 0)
    context.output.note(
      `changed or deleted in the calendar, and left so: ${firstNames(conflicts, MAX_NAMED)}`,
    );
  return plan;
}

/** An email that cancels events finds only those of its source. */
function noteUnknownCancelled({ context, job, read }: ImportRun): void {
  if (read.unknown === 0 || read.isMail !== true) return;
  const unknown = countOf(read.unknown, "cancelled event");
  context.output.note(`${unknown} did not come from ${job.source}: give the right source as --source`);
}

/** Shows the plan and asks where something would be written. @throws CliError interrupted for no, usage without a terminal */
async function confirmPlan(run: ImportRun, plan: ImportPlan): Promise<void> {
  const { context, job, calendar } = run;
  const { before, missing, pruned, steps, examples } = plan;
  const isMost = job.prune === true && pruned > 0 && isOtherFile(run, plan);
  if (steps.length === 0 || (job.isConfirmed && !isMost)) return;
  const { prompt } = context.terminal;
  if (!prompt.available || job.path === "-")
    throw usageError(
      `--prune: the file has ${before === missing ? "none" : "fewer than half"} of the ${before} events that came from ${job.source} before`,
      "check the plan with --dry-run; if it is right, give --prune=all; if this is another file, give it a --source of its own",
    );
  const place = calendar.name || calendar.id;
  context.output.warn(`${job.source} to ${place}:`);
  const unicode = isUnicodeLocale(context.machine.process);
  const lines = describeImport(reportOf(run, plan), { examples, width: prompt.columns, unicode });
  for (const line of lines) context.output.warn(line);
  const questions = [
    ...(job.isConfirmed ? [] : [questionOf(plan, place)]),
    ...(isMost ? [`Delete ${pruned} of the ${before} events that came from ${job.source} before?`] : []),
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
function isOtherFile({ read }: ImportRun, { before, missing }: ImportPlan): boolean {
  const { events, rejected } = read.source;
  const isSmaller = new Set([...events.keys(), ...rejected]).size * 2 < before;
  return before > missing ? (before - missing) * 2 < before && (before > FEW || isSmaller) : before > 0;
}
