import type { Command } from "commander";
import { draftForCreate } from "../../calendar/event-draft.js";
import { fillRelated, localizeEvent } from "../../calendar/event-view.js";
import type { Context } from "../../context.js";
import { eventView } from "../../output/views/event.js";
import { type CalendarContext, chooseCalendar } from "../calendar-choice.js";
import type { ContextOf } from "../command.js";
import {
  addEventFieldFlags,
  createRelatedFinder,
  type EventFieldFlags,
  readEventFields,
} from "./event-flags.js";

/** Number of the label an event gets where nobody says otherwise. */
const DEFAULT_LABEL = "1";

export function registerEventsCreate(command: Command, contextOf: ContextOf): void {
  addEventFieldFlags(command).action((options: EventFieldFlags) =>
    runEventsCreate(contextOf(command), options),
  );
}

/** Creates an event. What is wrong with the flags is said before anything is asked of the service. */
export async function runEventsCreate(
  context: CalendarContext & Pick<Context, "output" | "input" | "note">,
  options: EventFieldFlags,
): Promise<void> {
  const output = context.output(eventView);
  const { timezone } = context.settings();
  const fields = await readEventFields(context, options);
  const content = draftForCreate(fields.flags, fields.input, { zone: timezone });
  const { id: calendarId } = await chooseCalendar(context);
  const finder = createRelatedFinder(context, calendarId);
  const wantedLabel = fields.label ?? context.settings().setting("label");
  const labelId = wantedLabel === undefined ? DEFAULT_LABEL : await finder.labelId(wantedLabel);
  const attendeeIds = await finder.attendeeIds(fields.attendees);
  const api = await context.api();
  const event = await api.createEvent(calendarId, {
    ...content,
    label_id: labelId,
    attendee_ids: attendeeIds,
  });
  if (event.start_at === null) {
    context.note(`a keep without times is in no listing: note its id, ${event.id}`);
  }
  await output.print(
    localizeEvent(fillRelated(event, finder.known()), timezone),
    `event ${event.id} was created`,
  );
}
