import type { Command } from "commander";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { readGlobalFlags } from "../../cli/global-flags.js";
import type { Run } from "../../run/run.js";
import { draft as draftOf, missingForDraft } from "../draft.js";
import { type ChosenCalendar, chooseCalendar } from "../find/calendar-choice.js";
import { rememberShown } from "../find/event-reader.js";
import { defaultLength } from "../input/date-flags.js";
import {
  addEventFieldFlags,
  addInputFlag,
  addRepeatFlags,
  checkRepeatFlags,
  checkStdin,
  type EventFlags,
  namesRepeat,
  readEventFields,
} from "../input/event-flags.js";
import { readKeyedInput } from "../json.js";
import { checkKey } from "../patch.js";
import type { RepeatPlan } from "../repeat/repeat.js";
import { eventView } from "../views/event.js";
import { checkRecurrences, createEventMaker, noteKeepWithoutTimes } from "./make-event.js";

export function registerEventsCreate(command: Command, runOf: RunOf): void {
  describeCommand(command, {
    prints: { view: eventView, count: "one or list" },
    examples: () => [
      [
        "A meeting of 45 minutes, tomorrow",
        'calctl events create -c Work --title Review --start "tomorrow 3pm" --duration 45m',
      ],
      [
        "A series: every Monday, ten times",
        'calctl events create -c Work --title Standup --start "mon 9:30" --duration 15m --repeat "weekly on mon" --count 10',
      ],
      [
        "Three whole days, created once, however often a script runs this",
        'id="$(calctl events create -c Family --title Holiday --all-day --start "24 dec" --end "26 dec" --label 3 --attendee me --key holiday --fields id)"',
      ],
    ],
  });
  addRepeatFlags(addEventFieldFlags(command)).option(
    "--copies",
    "create separate events instead of a series, for services that cannot store series",
  );
  addInputFlag(
    command,
    "read events as JSON: one, a list, or one per line; flags override its values",
  ).option("--key <key>", "idempotency key: the command can be repeated without creating the event twice");
  addAction<EventFlags>(command, runOf, (run, options) =>
    runEventsCreate(run, options, { profile: readGlobalFlags(command).profile }),
  );
}

/** What a terminal was asked for; null where nothing is missing, or nobody can be asked. */
async function askMissing(run: Run, typed: EventFlags, profile: string | undefined) {
  const missing = missingForDraft([typed]);
  if (missing.length === 0 || !run.terminal.prompt.available) return null;
  const { askEvent } = await import("../input/event-form.js");
  return askEvent(run, typed, { profile, missing });
}

/**
 * Creates an event, or the events of an input. Checks the flags before sending anything; a terminal asks for what is missing.
 * @param options `--profile`; undefined when it was not given
 */
async function runEventsCreate(
  run: Run,
  typed: EventFlags,
  { profile }: { readonly profile: string | undefined },
): Promise<void> {
  run.output.of(eventView);
  checkKey(typed.key);
  checkStdin(typed);
  checkRepeatFlags(typed, { hasRule: false });
  const json = typed.input === undefined ? null : await run.terminal.input.jsonItems(typed.input, "--input");
  if (json?.kind === "several")
    return (await import("./create-several.js")).createSeveral(run, typed, json.items);
  const given = json === null ? null : readKeyedInput(json.value, "--input");
  checkKey(given?.key, "--input: key");
  const form = given === null ? await askMissing(run, typed, profile) : null;
  const event = await readNewEvent(run, form?.flags ?? typed, given?.fields);
  return createAndPrint(run, event, { key: typed.key ?? given?.key, calendar: form?.calendar });
}

/** A new event as it was read: an event, a series, or what single events by a rule have. */
interface NewEvent extends Pick<RepeatPlan, "content" | "copies"> {
  /** How a rule was read, for people; undefined without one. */
  readonly reading?: string;
}

/** Reads a new event. @param input what --input has @throws CliError usage */
export async function readNewEvent(run: Run, flags: EventFlags, input?: unknown): Promise<NewEvent> {
  const repeats = namesRepeat(flags) ? await import("../repeat/repeat.js") : null;
  const settings = run.config.settings();
  const patches = await readEventFields(run, flags, {
    input,
    missing: (read) => missingForDraft([...read, flags]),
  });
  const content = draftOf(patches, { zone: settings.timezone, length: defaultLength(settings) });
  if (repeats !== null) return repeats.planRepeat(run, flags, content);
  await checkRecurrences(content);
  return { content };
}

interface CreateOptions {
  readonly key?: string | undefined;
  /** Where it is chosen already. */
  readonly calendar?: ChosenCalendar | undefined;
  /** Whether the reading of the rule was shown. */
  readonly isRuleShown?: boolean;
}

/** Creates an event that was read, and prints it. */
export async function createAndPrint(
  run: Run,
  { content, copies, reading }: NewEvent,
  { key, calendar, isRuleShown = false }: CreateOptions,
): Promise<void> {
  const maker = createEventMaker(run, calendar ?? (await chooseCalendar(run, "writeCalendar")));
  const draft = await maker.complete(content);
  if (reading !== undefined && !isRuleShown) run.output.note(reading);
  if (copies !== undefined) {
    const { createDrafts } = await import("./create-several.js");
    return createDrafts(
      run,
      copies.map((times) => ({ ...draft, ...times })),
      { maker, key },
    );
  }
  const { created, isRepeat } = await maker.make(draft, { key });
  if (isRepeat) run.output.note(`already created with key "${key}"`);
  await rememberShown(run, [created]);
  const done = `event ${created.id} was ${isRepeat ? "already " : ""}created`;
  await run.output.of(eventView).print(created, done);
  await noteKeepWithoutTimes(run, created);
}
