import type { Command } from "commander";
import type { CalendarEvent } from "../../../contract/shapes.js";
import { draftForCreate, missingForCreate } from "../../calendar/event-draft.js";
import { checkKey } from "../../calendar/event-text.js";
import { fillRelated, localizeEvent } from "../../calendar/event-view.js";
import { localDate } from "../../calendar/zoned-time.js";
import { addAction, type ContextOf, describeCommand } from "../../cli/command.js";
import { readGlobalFlags } from "../../cli/global-flags.js";
import type { Context } from "../../context.js";
import { eventView } from "../../output/views/event.js";
import { type ChosenCalendar, chooseCalendar } from "../calendar-choice.js";
import { readFailure } from "../process-each.js";
import { defaultLength } from "./date-flags.js";
import {
  addEventFieldFlags,
  chosenLabelId,
  createRelatedResolver,
  DEFAULT_LABEL,
  type EventFieldFlags,
  readEventFields,
} from "./event-flags.js";
import { type EventContext, rememberShown } from "./event-reader.js";
import type { KeyContext } from "./keyed-create.js";

export function registerEventsCreate(command: Command, contextOf: ContextOf): void {
  describeCommand(command, {
    prints: { view: eventView, count: "one" },
    examples: () => [
      ["A meeting", 'calctl events create -c Work --title Review --start "tomorrow 3pm" --duration 45m'],
      [
        "Three whole days",
        'calctl events create -c Family --title Holiday --all-day --start "24 dec" --end "26 dec"',
      ],
      [
        "With a label and me, for a script that keeps its id",
        'id="$(calctl events create -c Work --title Choir --start "fri 19:30" --duration 1.5h --label 3 --attendee me --fields id)"',
      ],
    ],
  });
  addEventFieldFlags(command).option("--key <key>", "make it once: the same key again gives this event");
  addAction<EventFieldFlags>(command, contextOf, (context, options) =>
    runEventsCreate(context, options, { profile: readGlobalFlags(command).profile }),
  );
}

interface CreateOptions {
  readonly profile?: string | undefined;
  readonly calendar?: ChosenCalendar | undefined;
}

/**
 * Creates an event. Checks the flags before sending anything; a terminal asks for what is missing.
 * @param options the calendar where it is chosen already, and `--profile`; undefined when it was not given
 */
export async function runEventsCreate(
  context: EventContext & KeyContext,
  typed: EventFieldFlags,
  { profile, calendar }: CreateOptions = {},
): Promise<void> {
  const output = context.output.of(eventView);
  const { key } = typed;
  checkKey(key);
  const missing = typed.input === undefined ? missingForCreate(typed) : [];
  const asks = context.terminal.prompt.available && missing.length > 0;
  const form = asks
    ? await (await import("./event-form.js")).askEvent(context, typed, { profile, missing })
    : null;
  const options = form?.flags ?? typed;
  const settings = context.config.settings();
  const { timezone } = settings;
  const fields = await readEventFields(context, options, (input) => missingForCreate(options, input));
  const length = defaultLength(settings);
  const content = draftForCreate(fields.flags, fields.input, { zone: timezone, length });
  const { id: calendarId, name } =
    form?.calendar ?? calendar ?? (await chooseCalendar(context, "writeCalendar"));
  const resolver = createRelatedResolver(context, calendarId);
  const chosen = await chosenLabelId(context, { ...fields, resolver }, "the event has the default one");
  const preset = chosen === undefined ? settings.setting("label") : undefined;
  const labelId = (preset === undefined ? chosen : await resolver.labelId(preset)) ?? DEFAULT_LABEL;
  const attendeeIds = await resolver.attendeeIds(fields.attendees);
  const draft = { ...content, label_id: labelId, attendee_ids: attendeeIds };
  const { created: event, isRepeat } =
    key === undefined
      ? await (await context.api()).createEvent(calendarId, draft)
      : await (await import("./keyed-create.js")).createWithKey(context, { calendarId, draft, key });
  if (isRepeat) context.output.note(`made before with key "${key}"`);
  // A script gets the same whatever is cached.
  const users = context.terminal.isTerminal ? await context.names.knownUsers(calendarId) : [];
  const filled = fillRelated(fillRelated(event, resolver.resources()), { labels: [], users });
  const created = localizeEvent(filled, timezone, name);
  await rememberShown(context, [created]);
  await output.print(created, `event ${event.id} was created${isRepeat ? " before" : ""}`);
  if (event.start_at === null) await noteKeepWithoutTimes(context, event);
}

/** Tells how to find it again: it is on no day. The event was created, so a service that fails now is no error. */
async function noteKeepWithoutTimes(
  { api, config, output, now }: Pick<Context, "api" | "config" | "output" | "now">,
  { id, calendar_id: calendarId }: CalendarEvent,
): Promise<void> {
  const { timezone } = config.settings();
  const today = localDate(now(), timezone);
  const query = { calendarId, timezone, from: today, to: today, search: null, limit: 1 };
  const list = await (await api()).listEvents({ ...query, category: "keep" }).catch((error: unknown) => {
    if (readFailure(error).kind === "stopped") throw error;
    return null;
  });
  output.note(
    list?.hasKeepsWithoutTimes === true
      ? "calctl events list --category keep shows keeps without times"
      : `a keep without times is on no day: keep its id ${id}`,
  );
}
