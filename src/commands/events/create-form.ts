import { checkFlagTexts } from "../../calendar/event-draft.js";
import { resolveLabel } from "../../calendar/names.js";
import { localDate } from "../../calendar/zoned-time.js";
import { candidateCalendars, chooseOneCalendar } from "../calendar-choice.js";
import { createCommandLine, type FilledForm, orUndefined } from "./create-command-line.js";
import { createRelatedResolver, DEFAULT_LABEL, type EventFieldFlags, namedValues } from "./event-flags.js";
import {
  askAttendees,
  askLabel,
  askTimes,
  askTitle,
  attendeeKeys,
  checkTimes,
  type FormContext,
} from "./form-questions.js";

/** What `events create` asks for. The answers are flags, so that a command line can do the same. */

export interface FormOptions {
  /** `--profile`; undefined when it was not given. */
  readonly profile: string | undefined;
  /** The flags that the event still needs, as messages name them. */
  readonly missing: readonly string[];
}

/**
 * Asks for what the flags leave out, after a check of those, and prints the command line that creates the same event
 * without questions.
 */
export async function askEvent(
  context: FormContext,
  given: EventFieldFlags,
  { profile, missing }: FormOptions,
): Promise<FilledForm> {
  const { title: givenTitle, description, location, url } = given;
  checkFlagTexts({ title: givenTitle, description, location, url });
  if (given.start !== undefined) await checkTimes(context, given);
  const calendars = await candidateCalendars(context);
  const calendar = await chooseOneCalendar(context, calendars);
  await checkRelated(context, given, calendar.id);
  const title = givenTitle ?? (await askTitle(context));
  const needsTimes = missing.some((flag) => flag !== "--title");
  const day =
    given.strictDates === true ? localDate(context.now(), context.config.settings().timezone) : "today";
  const flags = {
    ...given,
    title,
    ...(needsTimes ? await askTimes(context, given, { day }) : {}),
    ...(given.label === undefined ? await askNewLabel(context, calendar.id) : {}),
    ...(given.attendee === undefined ? await askNewAttendees(context, calendar.id) : {}),
  };
  context.output.note("The same without questions:");
  context.output.note(`  ${createCommandLine(context, { calendar, flags }, { profile, calendars })}`);
  return { calendar, flags };
}

/** @throws CliError not_found for a label or an attendee that the calendar does not have */
async function checkRelated(
  context: FormContext,
  { label, attendee }: EventFieldFlags,
  calendarId: string,
): Promise<void> {
  const resolver = createRelatedResolver(context, calendarId);
  if (label !== undefined) await resolver.labelId({ value: label, source: "--label" });
  await resolver.attendeeIds(namedValues(attendee, "--attendee"));
}

/** Begins at the profile's. */
async function askNewLabel(
  context: FormContext,
  calendarId: string,
): Promise<Pick<EventFieldFlags, "label">> {
  const { value, source } = context.config.settings().setting("label") ?? {
    value: DEFAULT_LABEL,
    source: "label",
  };
  const label = await askLabel(context, calendarId, (labels) =>
    orUndefined(() => resolveLabel(value, labels, { calendarId, source })),
  );
  return label === undefined ? {} : { label };
}

async function askNewAttendees(
  context: FormContext,
  calendarId: string,
): Promise<Pick<EventFieldFlags, "attendee">> {
  const answer = await askAttendees(context, calendarId, []);
  return answer === null || answer.chosen.length === 0 ? {} : { attendee: attendeeKeys(answer, calendarId) };
}
