import type { Command } from "commander";
import { addAction, type ContextOf, describeCommand } from "../../cli/command.js";
import { readGlobalFlags } from "../../cli/global-flags.js";
import { draft as draftOf, missingForDraft } from "../../events/draft.js";
import { readKeyedInput } from "../../events/json.js";
import { checkKey } from "../../events/patch.js";
import { eventView } from "../../output/views/event.js";
import { type ChosenCalendar, chooseCalendar } from "../calendar-choice.js";
import { defaultLength } from "./date-flags.js";
import { addEventFieldFlags, checkStdin, type EventFieldFlags, readEventFields } from "./event-flags.js";
import { type EventContext, rememberShown } from "./event-reader.js";
import { checkRecurrences, createEventMaker, noteKeepWithoutTimes } from "./make-event.js";
import { addRepeatFlags, checkRepeatFlags, namesRepeat } from "./repeat-flags.js";

export function registerEventsCreate(command: Command, contextOf: ContextOf): void {
  describeCommand(command, {
    prints: { view: eventView, count: "one or list" },
    examples: () => [
      [
        "Ten meetings, a week apart",
        'calctl events create -c Work --title Review --start "tomorrow 3pm" --duration 45m --repeat weekly --count 10',
      ],
      [
        "Three whole days, made once however often a script runs this",
        'id="$(calctl events create -c Family --title Holiday --all-day --start "24 dec" --end "26 dec" --label 3 --attendee me --key holiday --fields id)"',
      ],
      [
        "Several, one JSON object a line",
        "calctl events list -c Family -o ndjson | calctl events create -c Work --input -",
      ],
    ],
  });
  addEventFieldFlags(command, "read events as JSON: one, a list, or one a line; flags win over them").option(
    "--key <key>",
    "create it once: the same key again gives this event",
  );
  addRepeatFlags(command).option(
    "--copies",
    "make single events instead of a series, which not every service stores",
  );
  addAction<EventFieldFlags>(command, contextOf, (context, options) =>
    runEventsCreate(context, options, { profile: readGlobalFlags(command).profile }),
  );
}

interface CreateOptions {
  readonly profile?: string | undefined;
  readonly calendar?: ChosenCalendar | undefined;
  /** Whether the reading of the rule was shown. */
  readonly isRuleShown?: boolean;
}

/** What a terminal was asked for; null where nothing is missing, or nobody can be asked. */
async function askMissing(context: EventContext, typed: EventFieldFlags, profile: string | undefined) {
  const missing = missingForDraft([typed]);
  if (missing.length === 0 || !context.terminal.prompt.available) return null;
  const { askEvent } = await import("./event-form.js");
  return askEvent(context, typed, { profile, missing });
}

/**
 * Creates an event, or the events of an input. Checks the flags before sending anything; a terminal asks for what is missing.
 * @param options the calendar where it is chosen already, and `--profile`; undefined when it was not given
 */
export async function runEventsCreate(
  context: EventContext,
  typed: EventFieldFlags,
  { profile, calendar, isRuleShown = false }: CreateOptions = {},
): Promise<void> {
  const output = context.output.of(eventView);
  checkKey(typed.key);
  checkStdin(typed);
  checkRepeatFlags(typed, { hasRule: false });
  const json =
    typed.input === undefined ? null : await context.terminal.input.jsonItems(typed.input, "--input");
  if (json?.kind === "several")
    return (await import("./create-several.js")).createSeveral(context, typed, json.items);
  const given = json === null ? null : readKeyedInput(json.value, "--input");
  checkKey(given?.key, "--input: key");
  const form = given === null ? await askMissing(context, typed, profile) : null;
  const options = form?.flags ?? typed;
  const repeats = namesRepeat(options) ? await import("./create-recurrence.js") : null;
  const settings = context.config.settings();
  const patches = await readEventFields(context, options, {
    input: given?.fields,
    missing: (input) => missingForDraft([...input, options]),
  });
  const defaults = { zone: settings.timezone, length: defaultLength(settings) };
  const content = draftOf(patches, defaults);
  if (repeats === null) await checkRecurrences(content);
  const key = typed.key ?? given?.key;
  const repeat = await repeats?.planRepeat(context, options, content);
  const chosen = form?.calendar ?? calendar ?? (await chooseCalendar(context, "writeCalendar"));
  const maker = createEventMaker(context, chosen);
  const draft = await maker.complete(repeat?.content ?? content);
  if (repeat !== undefined && !isRuleShown) context.output.note(repeat.reading);
  if (repeat?.copies !== undefined) {
    const { createDrafts } = await import("./create-several.js");
    return createDrafts(
      context,
      repeat.copies.map((each) => ({ ...each, label: draft.label, attendees: draft.attendees })),
      { maker, key },
    );
  }
  const { created, isRepeat } = await maker.make(draft, key);
  if (isRepeat) context.output.note(`already created with key "${key}"`);
  await rememberShown(context, [created]);
  await output.print(created, `event ${created.id} was created${isRepeat ? " before" : ""}`);
  await noteKeepWithoutTimes(context, created);
}
