import { randomUUID } from "node:crypto";
import type { Target, TargetFlags } from "../../delivery/target.js";
import { CliError, usageError, wrapError } from "../../errors.js";
import {
  type DayFlags,
  type EventQuery,
  type FilterFlags,
  readQuery,
  rememberedNames,
} from "../../events/find/event-query.js";
import { type EventList, nameSingle, readEvents } from "../../events/find/event-reader.js";
import { eventView } from "../../events/views/event.js";
import type { Run } from "../../run/run.js";
import { messageKey, type Sent } from "../../state/sent.js";
import { localDate } from "../../time/zoned-time.js";
import { createDigest, createTextMessage, describeDigest, type Message } from "./message.js";
import { type MessageFlags, noteResult, postMessage, postToEach, type SendMessage } from "./post-target.js";

/** The flags of `post`, as typed. */
export interface PostOptions extends Omit<DayFlags, "to">, FilterFlags, TargetFlags, MessageFlags {
  /** Saved targets, or addresses of mail. */
  readonly to?: readonly string[];
  readonly ifEmpty?: "skip" | "say";
  readonly title?: string;
  readonly once?: boolean;
  readonly again?: boolean;
  readonly atLeastOnce?: boolean;
  /** Name of `events changes --since-last`. */
  readonly changes?: string;
}

/** Sends the events that `events list` would show. Unless all of them can be read, nothing is sent. */
export async function postDigest(run: Run, options: PostOptions, targets: readonly Target[]): Promise<void> {
  if (options.atLeastOnce === true) throw usageError("--at-least-once: only with --changes");
  // How dates in words were read is for a person; cron would mail it.
  const note = run.terminal.isTerminal ? run.output.note : () => undefined;
  // It names the target here, and a day elsewhere.
  const { to: _target, ...chosen } = options;
  const query = await readQuery({ ...run, output: { ...run.output, note } }, chosen);
  const { calendars, events } = await readEventsToPost(run, query);
  if (events.length === 0 && options.ifEmpty !== "say")
    return noteResult(run, "no events: nothing was posted");
  const listing = { calendars, days: query.days };
  const message = createMessage(run, { events, listing }, options);
  const repeats = options.again === true ? "all" : undefined;
  const sent = await openSent(run, options);
  await postToEach(run, { targets, sent }, async (target) => {
    const isOnce = options.once === true;
    const key = isOnce ? digestKey(run, { options, listing, target }) : `post ${randomUUID()}`;
    const keepDays = isOnce ? KEEP_DAYS : LISTED_DAYS;
    const onNotNoted = isOnce ? undefined : (reason: CliError) => noteUnlisted(run, reason);
    if (sent === null) return postMessage(run, message, { target });
    const sendMessage: SendMessage = (outgoing) =>
      sent.sendOnce([key], async () => outgoing, { repeats, keepDays, onNotNoted });
    return postMessage(run, message, { target, sendMessage });
  });
}

/** @throws CliError unless every calendar could be read */
async function readEventsToPost(run: Run, query: EventQuery): Promise<EventList> {
  const list = await readEvents(run, query);
  list.reportFailures((failure) => {
    const message = `${nameSingle(list.calendars)}${failure.message}`;
    return wrapError(failure, failure.code, `nothing was posted: ${message}`);
  });
  return list;
}

/** What a digest is about. */
type Listing = Pick<EventList, "calendars"> & Pick<EventQuery, "days">;

function createMessage(
  run: Run,
  { events, listing: { calendars, days } }: Pick<EventList, "events"> & { readonly listing: Listing },
  options: PostOptions,
): Message {
  const { output } = run;
  const moment = { zone: run.config.settings().timezone, now: run.now(), range: days };
  const filters = nameFilters(run, options, calendars);
  const title = options.title ?? describeDigest(events, { ...moment, filters });
  const text = events.length === 0 ? null : output.template(eventView, events);
  if (text !== null) return createTextMessage(title, text, events);
  const titleNamesDay = options.title === undefined;
  return createDigest(events, { ...moment, title, titleNamesDay, showCalendar: calendars.length > 1 });
}

/** What a message says its events were chosen by, as typed: `Family`, `label Visits`, `"dinner"`. */
export function nameFilters(
  { config, flags }: Run,
  { category, mine, remaining, search, allCalendars, ...named }: FilterFlags & Pick<DayFlags, "search">,
  calendars: EventList["calendars"],
): readonly string[] {
  const { defaultCalendar } = config.settings();
  const isChosen = allCalendars !== true && (flags.calendars.length > 0 || defaultCalendar !== undefined);
  return [
    ...(isChosen ? calendars.map(({ name, id }) => name ?? id) : []),
    ...(search === undefined ? [] : [`"${search}"`]),
    ...(named.label ?? []).map((label) => `label ${label}`),
    ...(named.excludeLabel ?? []).map((label) => `not label ${label}`),
    ...(named.attendee ?? []).map((attendee) => `with ${attendee}`),
    ...(category === undefined ? [] : [`category ${category}`]),
    ...(mine === true ? ["mine"] : []),
    ...(remaining === true ? ["remaining"] : []),
  ];
}

/** How many days a key is kept: a digest can be posted for days that are far ahead; what is only listed, as long as that. */
const KEEP_DAYS = 400;
const LISTED_DAYS = 30;

/** What is not sent once is sent although it cannot be noted. */
async function openSent(run: Run, { once }: PostOptions): Promise<Sent | null> {
  if (run.flags.dryRun) return null;
  return run.state.sent().catch((error: unknown) => {
    if (once === true || !(error instanceof CliError) || error.code === "interrupted") throw error;
    noteUnlisted(run, error);
    return null;
  });
}

function noteUnlisted(run: Run, { message }: CliError): void {
  noteResult(run, `calctl sent will not list this: ${message}`);
}

interface DigestKeyOptions {
  readonly options: PostOptions;
  readonly listing: Listing;
  readonly target: Target;
}

/** What makes two digests the same: profile, target, calendars, zone, days and filters. */
function digestKey(
  { config, flags, now }: Run,
  { options, listing: { calendars, days }, target }: DigestKeyOptions,
): string {
  const { timezone, defaultCalendar } = config.settings();
  const { category, mine, remaining, search, allCalendars } = options;
  const { label, excludeLabel, attendee } = rememberedNames(options);
  // All of them stays the same when there is another one.
  const isAll = allCalendars === true || (flags.calendars.length === 0 && defaultCalendar === undefined);
  return messageKey(config.settings(), "digest", {
    target: target.id,
    calendars: isAll ? "all" : calendars.map(({ id }) => id).sort(),
    timezone,
    // Without a last day, every day has a digest of its own.
    days: days.last === null ? { ...days, today: localDate(now(), timezone) } : days,
    filters: { category, label, mine, remaining, search, excludeLabel, attendee },
  });
}
