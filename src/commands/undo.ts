import type { Command } from "commander";
import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import { isSameContent } from "../calendar/event-changes.js";
import { draftForUpdate } from "../calendar/event-update.js";
import { hasFields } from "../calendar/if-unchanged.js";
import { addAction, type ContextOf, describeCommand, requireConfirmation } from "../cli/command.js";
import type { Context } from "../context.js";
import { CliError, configurationError, usageError } from "../errors.js";
import type { Journal, JournalEntry, NotedWrite } from "../journal/journal.js";
import { type UndoableCommand, undoableView } from "../output/views/undo.js";
import { resolveCalendars } from "./calendar-choice.js";
import { placeCopy } from "./events/copy-draft.js";
import { createRelatedResolver, DEFAULT_LABEL } from "./events/event-flags.js";
import type { EventContext } from "./events/event-reader.js";
import { processEach } from "./process-each.js";

type UndoContext = EventContext & Pick<Context, "journal" | "machine">;

interface UndoOptions {
  readonly number?: string;
  readonly list?: boolean;
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

export function registerUndo(command: Command, contextOf: ContextOf): void {
  command
    .argument("[number]", "of the command, as --list shows it; 1, the latest, by default")
    .option("--list", "list the last 20 commands that can be taken back")
    .option("-y, --yes", "skip the confirmation");
  describeCommand(command, {
    prints: { view: undoableView, count: "one or list" },
    examples: () => [
      ["What was written lately", "calctl undo --list"],
      [
        "Take back the last change, without a question",
        'id="$(calctl events list --fields id | head -n 1)"',
        'calctl events update "$id" --title "Lunch, postponed"',
        "calctl undo --yes",
      ],
    ],
  });
  addAction(command, contextOf, runUndo);
}

/** How many commands are listed. */
const LISTED = 20;

/** Takes back what a command wrote, as far as nobody wrote there since. */
export async function runUndo(context: UndoContext, options: UndoOptions): Promise<void> {
  const output = context.output.of(undoableView);
  const { number: typed, list = false, yes = false } = options;
  const number = /^[1-9]\d{0,3}$/.test(typed ?? "1") ? Number(typed ?? "1") : 0;
  if (number === 0 || (list && typed !== undefined))
    throw usageError(list ? "--list takes no number" : `"${typed}" is not the number of a command`);
  const journal = await context.journal();
  if (journal === null) {
    const hint = "calctl config unset journal keeps one";
    throw configurationError("this profile keeps no journal", { hint });
  }
  const commands = journal.entries().filter((entry) => openWrites(entry).length > 0);
  if (list) return output.print(commands.slice(0, LISTED).map(describeEntry));
  const chosen = commands[number - 1];
  if (chosen === undefined) {
    const problem = commands.length === 0 ? "there is nothing to undo" : "there is no such command";
    throw new CliError("not_found", problem, { hint: "calctl undo --list shows what can be taken back" });
  }
  await confirm(context, chosen, yes || context.flags.dryRun);
  await journal.exclusively(() => undoEntry(context, { journal, file: chosen.file, number }));
}

function openWrites({ writes }: JournalEntry): readonly NotedWrite[] {
  return writes.filter(({ failed, undone }) => failed !== true && undone === undefined);
}

function describeEntry(entry: JournalEntry, index: number): UndoableCommand {
  const open = openWrites(entry);
  return {
    number: index + 1,
    at: entry.at,
    command: entry.command,
    events: open.flatMap(({ eventId, after }) => after?.id ?? eventId ?? []),
    titles: open.map(nameOf),
  };
}

function nameOf({ title, eventId }: NotedWrite): string {
  return title ?? eventId ?? "an event";
}

/** What taking a write back does, as questions and notes say it. */
const UNDONE = {
  create: "deleted",
  update: "put back",
  delete: "created again (new id, no comments)",
} as const;

/** Asks where events are deleted or get new ids. */
async function confirm({ output, terminal }: UndoContext, entry: JournalEntry, yes: boolean): Promise<void> {
  const asked = openWrites(entry).filter(({ kind }) => kind === "create" || kind === "delete");
  if (asked.length === 0 || yes) return;
  requireConfirmation(yes, terminal.prompt.available);
  for (const write of asked)
    output.warn(`  ${nameOf(write)}  is ${UNDONE[write.kind === "create" ? "create" : "delete"]}`);
  if (await terminal.prompt.confirm(`Take back ${entry.command}?`)) return;
  throw new CliError("interrupted", "nothing was taken back");
}

async function undoEntry(
  context: UndoContext,
  { journal, file, number }: { readonly journal: Journal; readonly file: string; readonly number: number },
): Promise<void> {
  // Read again, since another process may have taken it back.
  const entries = journal.entries();
  const entry = entries.find((each) => each.file === file);
  if (entry === undefined) return;
  const newIds = new Map(
    entries.flatMap(({ writes }) =>
      writes.flatMap(({ eventId = "", undone = "" }) => (undone === "" ? [] : [[eventId, undone] as const])),
    ),
  );
  // What deletes comes last.
  const isCreate = ({ kind }: NotedWrite): number => Number(kind === "create");
  const steps = openWrites(entry)
    .toReversed()
    .sort((one, other) => isCreate(one) - isCreate(other));
  const { dryRun } = context.flags;
  const noteUndone =
    entry.command === "import" && !dryRun
      ? (await import("./import/records.js")).openUndoneImports(context.machine)
      : undefined;
  let isLosing = false;
  const { results, reportFailures } = await processEach(steps, {
    noun: "write",
    verb: "taken back",
    name: (write) => `${write.kind} of ${nameOf(write)}`,
    warn: context.output.warn,
    // One at a time, so that an interruption leaves at most one in doubt.
    concurrency: 1,
    async work(write) {
      // What was moved stays where it is if it could not be brought back.
      if (write.kind === "create" && isLosing)
        throw new CliError("partial", "it is kept, since not everything could be brought back");
      try {
        const id = await undoWrite(context, write, (eventId) => currentId(newIds, eventId));
        const isAgain = write.kind === "delete" && id !== write.eventId;
        noteUndone?.(write, id);
        if (!dryRun) journal.markUndone(entry, write, isAgain ? id : "");
        return { id, title: nameOf(write) };
      } catch (error) {
        isLosing ||= write.kind === "delete" && error instanceof CliError;
        throw error;
      }
    },
  });
  const [events, titles] = [results.map(({ id }) => id), results.map(({ title }) => title)];
  const undone = { ...describeEntry(entry, number - 1), events, titles };
  if (results.length > 0)
    await context.output.of(undoableView).print(undone, `${entry.command} was taken back`);
  reportFailures();
}

/** The id of an event that was deleted and created again since. */
function currentId(newIds: ReadonlyMap<string, string>, eventId: string): string {
  const newId = newIds.get(eventId);
  return newId === undefined ? eventId : currentId(newIds, newId);
}

/**
 * Takes one write back, unless that is not needed any more.
 * @param idOf gives the id that an event has now
 * @returns that id
 * @throws CliError changed when somebody wrote since; nothing is written then
 */
async function undoWrite(
  context: UndoContext,
  write: NotedWrite,
  idOf: (eventId: string) => string,
): Promise<string> {
  const { kind, calendarId = "", before, after } = write;
  const eventId = idOf(after?.id ?? write.eventId ?? "");
  const problem = findProblem(write, eventId);
  if (problem !== null) throw problem;
  const address = { calendarId, eventId };
  const api = await context.api();
  const current = await api.getEvent(address).catch((error: unknown) => {
    if (error instanceof CliError && error.code === "not_found") return null;
    throw error;
  });
  const note = (done: keyof typeof UNDONE) => context.output.note(`${nameOf(write)}: ${UNDONE[done]}`);
  if (kind === "create") {
    if (current === null) return eventId;
    await requireAsLeft(context, current, write);
    await api.deleteEvent(address);
    await context.names.recentEvents()?.forget([eventId]);
    note("create");
    return eventId;
  }
  if (before === undefined) throw cannotUndo("what there was is not known");
  if (kind === "delete") {
    if (current !== null) return eventId;
    const { created } = await api.createEvent(calendarId, await draftAgain(context, before));
    note("delete");
    return created.id;
  }
  if (current === null) throw new CliError("changed", `event ${eventId} was deleted since`);
  if (isSameContent(current, before)) return eventId;
  await requireAsLeft(context, current, write);
  await api.updateEvent(address, draftOfBefore(context, before, current));
  note("update");
  return eventId;
}

/** Why a write cannot be taken back whatever there is now; null otherwise. */
function findProblem({ kind }: NotedWrite, eventId: string): CliError | null {
  if (kind === "comment") return cannotUndo("the service cannot delete comments");
  if (kind === "other") return cannotUndo("calctl does not know what it did");
  if (eventId !== "") return null;
  return new CliError("outcome_unknown", "it is unknown whether it was created", {
    hint: "look for it with `calctl events list`",
  });
}

function cannotUndo(reason: string): CliError {
  return new CliError("rejected", `it cannot be taken back: ${reason}`, {
    hint: "calctl undo --list shows what else can be taken back, by its number",
  });
}

/** Everything as it was; what was empty is cleared. */
function draftOfBefore({ config }: UndoContext, before: CalendarEvent, current: CalendarEvent): EventDraft {
  const texts = ["description", "location", "url"] as const;
  const changes = {
    clear: texts.filter((key) => !before[key] && current[key]),
    attendeeIds: before.attendees.map(({ id }) => id),
    labelId: before.label?.id ?? DEFAULT_LABEL,
  };
  return draftForUpdate(before, changes, config.settings().timezone);
}

/** The deleted event as a new one of its calendar. */
async function draftAgain(context: UndoContext, before: CalendarEvent) {
  const [calendar = { id: before.calendar_id, name: null }] = await resolveCalendars(context, [
    { value: before.calendar_id, source: "calctl undo" },
  ]);
  const resolver = createRelatedResolver(context, calendar.id);
  return placeCopy(context, before, { calendar, resolver, times: {} });
}

/** @throws CliError changed, after what is different, when the event is not as the command left it */
async function requireAsLeft(
  context: UndoContext,
  current: CalendarEvent,
  { after, before, draft }: NotedWrite,
): Promise<void> {
  if (after === undefined ? draft !== undefined && hasFields(current, draft) : isSameContent(current, after))
    return;
  const { describeChanges, editableEvent } = await import("./events/edit-document.js");
  const options = { zone: context.config.settings().timezone, labels: [], members: [] };
  const left = editableEvent(after ?? before ?? current, options);
  const lines = await describeChanges(left, editableEvent(current, options));
  for (const line of lines) context.output.warn(line);
  throw new CliError("changed", `event ${current.id} was changed since: nothing was overwritten`);
}
