import type { Command } from "commander";
import { addAction, describeCommand, type RunOf, requireConfirmation } from "../../cli/command.js";
import { createNamer, processEach } from "../../cli/items.js";
import { CliError, configurationError, usageError } from "../../errors.js";
import { INSTANT } from "../../events/views/calendar.js";
import { describeInstant } from "../../events/views/event-when.js";
import type { View } from "../../output/view.js";
import { firstNames } from "../../output/words.js";
import type { Run } from "../../run/run.js";
import { type WriteRow, type Writes, type WrittenCommand, withNewIds } from "../../state/writes.js";
import { cannotUndo, nameOf, takeBack, type Undo, undoneBy } from "./inverse.js";
import type { UndoNoted } from "./undone-imports.js";

interface UndoOptions {
  readonly number?: string;
  readonly list?: boolean;
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

export function registerUndo(command: Command, runOf: RunOf): void {
  command
    .argument("[number]", "number of the change in --list (default: 1, the latest)")
    .option("--list", "list the last 20 changes")
    .option("-y, --yes", "skip the confirmation");
  describeCommand(command, {
    prints: { view: undoableView, count: "one or list" },
    examples: () => [
      ["List recent changes", "calctl undo --list"],
      [
        "Undo the last change without confirmation",
        'id="$(calctl events list --fields id | head -n 1)"',
        'calctl events update "$id" --title "Lunch, postponed"',
        "calctl undo --yes",
      ],
    ],
  });
  addAction(command, runOf, runUndo);
}

/** How many commands are listed. */
const MAX_LISTED = 20;

/** Takes back what a command wrote, as far as nobody wrote there since. */
async function runUndo(run: Run, options: UndoOptions): Promise<void> {
  const output = run.output.of(undoableView);
  const { list = false, yes = false } = options;
  const number = readNumber(options);
  if (run.flags.calendars.length > 0)
    throw usageError("--calendar: undo applies to every calendar that the command wrote to");
  const writes = await run.writes();
  if (writes === null) {
    const hint = "to keep one, run calctl config unset journal";
    throw configurationError("this profile keeps no journal", { hint });
  }
  const commands = (await writes.commands()).filter((command) => openWrites(command).length > 0);
  if (list)
    return output.print(
      commands.slice(0, MAX_LISTED).map((command, index) => describeWritten(command, index + 1)),
    );
  const chosen = choose(commands, number);
  await confirm(run, chosen, yes);
  const { run: first } = chosen;
  // What is made again has a new id, by which later imports must know it.
  const mayBeImported =
    chosen.command === "import" || openWrites(chosen).some(({ kind }) => kind === "delete");
  const undoing = { writes, first, number, earlier: earlierHint(commands, number) };
  if (run.flags.dryRun) return undoCommand(run, undoing);
  await writes.exclusively(async () => {
    if (!mayBeImported) return undoCommand(run, undoing);
    const { withUndoneImports } = await import("./undone-imports.js");
    await withUndoneImports(await run.state.open(), chosen, (undoNoted) =>
      undoCommand(run, { ...undoing, undoNoted }),
    );
  });
}

/** @throws CliError usage */
function readNumber({ number: typed, list = false }: UndoOptions): number {
  if (list && typed !== undefined) throw usageError("--list takes no number");
  if (/^[1-9]\d{0,3}$/.test(typed ?? "1")) return Number(typed ?? "1");
  throw usageError(`"${typed}" is not the number of a command`);
}

/** The kinds of writes that cannot be undone, and why. */
const FINAL: Readonly<Partial<Record<WriteRow["kind"], string>>> = {
  comment: "the service cannot delete comments",
  other: "calctl does not know what it did",
};

const isFinal = ({ kind }: WriteRow): boolean => FINAL[kind] !== undefined;

/** @throws CliError not_found if there is no such command, rejected if it cannot be undone */
function choose(commands: readonly WrittenCommand[], number: number): WrittenCommand {
  const chosen = commands[number - 1];
  if (chosen === undefined) {
    const problem = commands.length === 0 ? "there is nothing to undo" : "there is no such command";
    throw new CliError("not_found", problem, { hint: "calctl undo --list shows what was written" });
  }
  const final = openWrites(chosen).find(isFinal);
  if (final === undefined) return chosen;
  throw cannotUndo(FINAL[final.kind] ?? "", earlierHint(commands, number));
}

/** Names the latest command before one that can be undone; undefined if there is none. */
function earlierHint(commands: readonly WrittenCommand[], number: number): string | undefined {
  const mayBeTakenBack = (write: WriteRow): boolean =>
    !isFinal(write) && !(write.kind === "create" && write.state === "begun");
  const next = commands.findIndex(
    (command, index) => index >= number && openWrites(command).every(mayBeTakenBack),
  );
  if (next === -1) return undefined;
  return `the command before it that can be undone is ${commands[next]?.command}: calctl undo ${next + 1}`;
}

function openWrites({ writes }: WrittenCommand): readonly WriteRow[] {
  return writes.filter(({ state }) => state === "begun" || state === "done");
}

function describeWritten(written: WrittenCommand, number: number): UndoableCommand {
  const { at, command } = written;
  const open = openWrites(written);
  const events = open.flatMap(({ eventId, after }) => after?.id ?? eventId ?? []);
  return { number, at, command, events, titles: open.map(nameOf) };
}

/** Asks where events are deleted or get new ids, and where comments go. */
async function confirm({ output, terminal }: Run, written: WrittenCommand, yes: boolean): Promise<void> {
  const asked = openWrites(written).filter(
    ({ kind, scope }) => kind === "create" || kind === "delete" || scope === "following",
  );
  if (asked.length === 0 || yes) return;
  requireConfirmation(yes, terminal.prompt.available);
  const namer = createNamer((text) => output.warn(`  ${text}`));
  for (const write of asked) namer.name(`${nameOf(write)}  is ${undoneBy(write)}`);
  namer.end();
  if (await terminal.prompt.confirm(`Undo ${written.command}?`)) return;
  throw new CliError("interrupted", "nothing was undone");
}

interface UndoCommandOptions {
  readonly writes: Writes;
  /** The id of its first write. */
  readonly first: number;
  readonly number: number;
  /** The hint for the command before it; undefined if there is none. */
  readonly earlier: string | undefined;
  /** Notes what later imports must know. By default nothing is noted. */
  readonly undoNoted?: UndoNoted;
}

async function undoCommand(
  run: Run,
  {
    writes,
    first,
    number,
    earlier,
    undoNoted = async (_, undo) => ({ id: await undo() }),
  }: UndoCommandOptions,
): Promise<void> {
  // Read again, since another process may have taken it back, or written more.
  const command = (await writes.commands()).find((each) => each.run === first);
  if (command === undefined || openWrites(command).length === 0)
    return run.output.note("another calctl undo has already undone this command");
  // What deletes comes last.
  const isCreate = ({ kind }: WriteRow): number => Number(kind === "create");
  const steps = openWrites(command)
    .toReversed()
    .sort((one, other) => isCreate(one) - isCreate(other));
  const namer = createNamer(run.output.note);
  const undo: Undo = {
    run,
    at: command.at,
    note: namer.name,
    putBack: new Map(),
    places: new Map(),
    noteBegun: writes.noteUndoBegun,
    earlier,
  };
  const newIds = new Map<string, string>();
  let isLosing = false;
  const { results, reportFailures } = await processEach(steps, {
    noun: "write",
    verb: "undone",
    name: (write) => `${write.kind} of ${nameOf(write)}`,
    warn: run.output.warn,
    // One at a time, so that an interruption leaves at most one in doubt.
    concurrency: 1,
    async work(recorded) {
      const write = withNewIds(recorded, newIds);
      // What was moved stays where it is if it could not be brought back.
      if (write.kind === "create" && isLosing)
        throw new CliError("partial", "it is kept because not everything could be restored");
      try {
        const { id, also } = await undoNoted(write, () => takeBack(undo, write));
        const newId = write.kind === "delete" && id !== write.eventId ? id : null;
        if (newId !== null) newIds.set(write.eventId ?? "", newId);
        await writes.markUndone(write, newId, also);
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
  const undone = { ...describeWritten(command, number), events, titles };
  if (results.length > 0) await run.output.of(undoableView).print(undone, `${command.command} was undone`);
  reportFailures();
}

/** A command that wrote something, as `undo --list` shows it and `undo` takes it back. */
export interface UndoableCommand {
  /** 1 for the latest. */
  readonly number: number;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly at: string;
  readonly command: string;
  readonly events: readonly string[];
  readonly titles: readonly string[];
}

export const undoableView: View<UndoableCommand> = {
  noun: "command",
  shape: "undoable",
  keys: {
    number: { type: "integer", about: "1 is the latest" },
    at: { type: "string", about: INSTANT, cell: ({ at }, clock) => ({ text: describeInstant(at, clock) }) },
    command: { type: "string", about: "such as events delete" },
    events: { type: "string[]", about: "ids of events; of those that undo created again the new ones" },
    titles: {
      type: "string[]",
      about: "of the events",
      header: "Events",
      minWidth: 8,
      cell: ({ titles }) => ({ text: firstNames(titles, MAX_TITLES) }),
    },
  },
  members: ["number", "at", "command", "events"],
  tsv: ["number", "at", "command", "events"],
  table: ["number", "at", "command", "titles"],
};

/** As many as the lines of an undo name. */
const MAX_TITLES = 20;
