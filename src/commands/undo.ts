import type { Command } from "commander";
import type { CalendarEvent } from "../../contract/shapes.js";
import { addAction, type ContextOf, describeCommand, requireConfirmation } from "../cli/command.js";
import type { Context } from "../context.js";
import { CliError, configurationError, usageError } from "../errors.js";
import type { JournalEntry, NotedWrite } from "../journal/entry.js";
import type { Journal } from "../journal/journal.js";
import { type UndoableCommand, undoableView } from "../output/views/undo.js";
import type { EventContext } from "./events/event-reader.js";
import type { UndoNoted } from "./import/undone-imports.js";
import { createNamer } from "./item-report.js";
import { processEach } from "./process-each.js";
import { isSeriesWrite, undoSeriesWrite } from "./undo-series.js";
import { cannotUndo, nameOf, undoneBy, undoWrite } from "./undo-write.js";

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
    .option("--list", "list the last 20 commands that wrote something")
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
const MAX_LISTED = 20;

/** Takes back what a command wrote, as far as nobody wrote there since. */
async function runUndo(context: UndoContext, options: UndoOptions): Promise<void> {
  const output = context.output.of(undoableView);
  const { list = false, yes = false } = options;
  const number = readNumber(options);
  if (context.flags.calendars.length > 0)
    throw usageError("--calendar: undo takes back what a command wrote in any calendar");
  const journal = await context.journal();
  if (journal === null) {
    const hint = "calctl config unset journal keeps one";
    throw configurationError("this profile keeps no journal", { hint });
  }
  const commands = journal.entries().filter((entry) => entry.isDamaged || openWrites(entry).length > 0);
  if (list) {
    for (const { isDamaged, file } of commands)
      if (isDamaged) context.output.warn(`${file} is damaged: its writes cannot be taken back`);
    return output.print(commands.slice(0, MAX_LISTED).map((entry, index) => describeEntry(entry, index + 1)));
  }
  const chosen = choose(commands, number);
  await confirm(context, chosen, yes || context.flags.dryRun);
  const { file } = chosen;
  // What is made again has a new id, by which later imports must know it.
  const mayBeImported =
    chosen.command === "import" || openWrites(chosen).some(({ kind }) => kind === "delete");
  await journal.exclusively(async () => {
    if (!mayBeImported || context.flags.dryRun) return undoEntry(context, { journal, file, number });
    const { withUndoneImports } = await import("./import/undone-imports.js");
    await withUndoneImports(context.machine, chosen, (undoNoted) =>
      undoEntry(context, { journal, file, number, undoNoted }),
    );
  });
}

/** @throws CliError usage */
function readNumber({ number: typed, list = false }: UndoOptions): number {
  if (list && typed !== undefined) throw usageError("--list takes no number");
  if (/^[1-9]\d{0,3}$/.test(typed ?? "1")) return Number(typed ?? "1");
  throw usageError(`"${typed}" is not the number of a command`);
}

/** The kinds of writes that cannot be taken back, and why. */
const FINAL: Readonly<Partial<Record<NotedWrite["kind"], string>>> = {
  comment: "the service cannot delete comments",
  other: "calctl does not know what it did",
};

const isFinal = ({ kind }: NotedWrite): boolean => FINAL[kind] !== undefined;

/**
 * @throws CliError not_found if there is no such command, configuration if its file is damaged, rejected if it cannot be taken
 * back
 */
function choose(commands: readonly JournalEntry[], number: number): JournalEntry {
  const chosen = commands[number - 1];
  if (chosen === undefined) {
    const problem = commands.length === 0 ? "there is nothing to undo" : "there is no such command";
    throw new CliError("not_found", problem, { hint: "calctl undo --list shows what was written" });
  }
  if (chosen.isDamaged)
    throw configurationError(`${chosen.file} is damaged: its writes cannot be taken back`, {
      hint: "calctl undo --list shows the numbers of other commands",
    });
  const final = openWrites(chosen).find(isFinal);
  if (final === undefined) return chosen;
  const isNext = (entry: JournalEntry): boolean => !entry.isDamaged && !openWrites(entry).some(isFinal);
  const next = commands.findIndex((entry, index) => index >= number && isNext(entry));
  const hint = `the command before it that can be taken back is ${commands[next]?.command}: calctl undo ${next + 1}`;
  throw cannotUndo(FINAL[final.kind] ?? "", next === -1 ? undefined : hint);
}

function openWrites({ writes }: JournalEntry): readonly NotedWrite[] {
  return writes.filter(({ failed, undone }) => failed !== true && undone === undefined);
}

function describeEntry(entry: JournalEntry, number: number): UndoableCommand {
  const { at, command } = entry;
  const open = openWrites(entry);
  const events = open.flatMap(({ eventId, after }) => after?.id ?? eventId ?? []);
  return { number, at, command, events, titles: open.map(nameOf) };
}

/** Asks where events are deleted or get new ids, and where comments go. */
async function confirm({ output, terminal }: UndoContext, entry: JournalEntry, yes: boolean): Promise<void> {
  const asked = openWrites(entry).filter(
    ({ kind, scope }) => kind === "create" || kind === "delete" || scope === "following",
  );
  if (asked.length === 0 || yes) return;
  requireConfirmation(yes, terminal.prompt.available);
  const namer = createNamer((text) => output.warn(`  ${text}`));
  for (const write of asked) namer.name(`${nameOf(write)}  is ${undoneBy(write)}`);
  namer.end();
  if (await terminal.prompt.confirm(`Take back ${entry.command}?`)) return;
  throw new CliError("interrupted", "nothing was taken back");
}

interface UndoEntryOptions {
  readonly journal: Journal;
  readonly file: string;
  readonly number: number;
  /** Notes what later imports must know. By default nothing is noted. */
  readonly undoNoted?: UndoNoted;
}

async function undoEntry(
  context: UndoContext,
  { journal, file, number, undoNoted = (_, undo) => undo() }: UndoEntryOptions,
): Promise<void> {
  // Read again, since another process may have taken it back, or written more.
  const entry = journal.entries().find((each) => each.file === file);
  if (entry === undefined || openWrites(entry).length === 0)
    return context.output.note("another calctl undo has taken this back meanwhile");
  // What deletes comes last.
  const isCreate = ({ kind }: NotedWrite): number => Number(kind === "create");
  const steps = openWrites(entry)
    .toReversed()
    .sort((one, other) => isCreate(one) - isCreate(other));
  const { dryRun: isDryRun } = context.flags;
  const namer = createNamer(context.output.note);
  const restored = new Map<string, CalendarEvent>();
  const reading = withRestored(context, restored);
  const undo = (write: NotedWrite): Promise<string> =>
    isSeriesWrite(write)
      ? undoSeriesWrite(reading, write, namer.name)
      : undoWrite(reading, write, { at: entry.at, note: namer.name });
  let isLosing = false;
  const { results, reportFailures } = await processEach(steps, {
    noun: "write",
    verb: "taken back",
    name: (write) => `${write.kind} of ${nameOf(write)}`,
    warn: context.output.warn,
    isDryRun,
    // One at a time, so that an interruption leaves at most one in doubt.
    concurrency: 1,
    async work(noted) {
      const write = journal.withCurrentIds(noted);
      // What was moved stays where it is if it could not be brought back.
      if (write.kind === "create" && isLosing)
        throw new CliError("partial", "it is kept, since not everything could be brought back");
      try {
        const id = await undoNoted(write, () => undo(write));
        const isAgain = write.kind === "delete" && id !== write.eventId;
        journal.markUndone(entry, write, isAgain ? id : "");
        if (isDryRun) noteRestored(restored, write, id);
        return { id, title: nameOf(write) };
      } catch (error) {
        isLosing ||= write.kind === "delete" && error instanceof CliError;
        throw error;
      }
    },
  });
  namer.end();
  const events = results.map(({ id }) => id);
  const titles = results.map(({ title }) => title);
  const undone = { ...describeEntry(entry, number), events, titles };
  if (results.length > 0)
    await context.output.of(undoableView).print(undone, `${entry.command} was taken back`);
  reportFailures();
}

/** The context, which reads what is restored in a dry run as it was. */
function withRestored(context: UndoContext, restored: ReadonlyMap<string, CalendarEvent>): UndoContext {
  const api: UndoContext["api"] = async () => {
    const client = await context.api();
    return {
      ...client,
      getEvent: async (address) => restored.get(address.eventId) ?? client.getEvent(address),
    };
  };
  return { ...context, api };
}

/** A series that a write is taken back from: only the service knows with which of its events it begins then. */
function noteRestored(
  restored: Map<string, CalendarEvent>,
  { kind, scope, series }: NotedWrite,
  eventId: string,
): void {
  if (series === undefined) return;
  const id = kind === "delete" && scope === "all" ? eventId : series.id;
  restored.set(id, { ...series, id });
}
