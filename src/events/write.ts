import { exceptedSlots, type Scope } from "../../contract/extensions.js";
import type { Activity, CalendarEvent, EventDraft } from "../../contract/shapes.js";
import type { Api } from "../api/client.js";
import type { Created, EventAddress } from "../api/endpoints.js";
import type { RawRequest, RawResponse } from "../api/raw-request.js";
import { CliError, hasCode, isOutcomeUnknown, nullOn } from "../errors.js";
import type { Outcome, Write, Writes } from "../state/writes.js";
import { wasUpdated } from "./if-unchanged.js";

type WriteApi = Pick<
  Api,
  "getEvent" | "createEvent" | "updateEvent" | "deleteEvent" | "createActivity" | "sendRaw"
>;

/** What a write uses of the context of a command. */
export interface WriteContext {
  readonly flags: { readonly dryRun: boolean };
  api(): Promise<WriteApi>;
  writes(): Promise<Pick<Writes, "begin"> | null>;
}

interface BaseRequest {
  /** Whether it takes another write back: it is not recorded, since an undo is not undone. */
  readonly isUndo?: boolean;
}

interface CreateRequest extends BaseRequest {
  readonly kind: "create";
  readonly calendarId: string;
  readonly draft: EventDraft;
  /** The idempotency key. */
  readonly key?: string | undefined;
}

interface UpdateRequest extends BaseRequest {
  readonly kind: "update";
  /** As it was read. */
  readonly event: CalendarEvent;
  readonly draft: EventDraft;
  /** Of an event that repeats. */
  readonly scope?: Scope | undefined;
  /** Its `updated_at` when it was read, in milliseconds since the Unix epoch; null to replace whatever is there. */
  readonly expectedUpdatedAt: number | null;
}

interface DeleteRequest extends BaseRequest, EventAddress {
  readonly kind: "delete";
  /** The event as it was read; null if the user may not read it. */
  readonly event: CalendarEvent | null;
  readonly scope?: Scope | undefined;
}

interface CommentRequest extends BaseRequest, EventAddress {
  readonly kind: "comment";
  /** Of the event; null if it was not read. */
  readonly title: string | null;
  readonly content: string;
  readonly key?: string | undefined;
}

/** A write that `calctl api` sends. */
interface OtherRequest extends BaseRequest {
  readonly kind: "other";
  readonly request: RawRequest;
}

/** An event as a write has left it; the series where one was written. */
export interface Written {
  readonly event: CalendarEvent;
  /** Whether it was already created with this key. */
  readonly isRepeat: boolean;
  /** How many occurrences of the series were changed before, each on its own, and stay as they are. */
  readonly keptOccurrences: number;
}

/**
 * Every write of the service's data but feeds: sends it, and records it before and after, so that `calctl undo` can take it
 * back. Records nothing of an undo, in a dry run, and where the profile keeps no journal.
 * @throws CliError as the service answers
 */
export function write(context: WriteContext, request: CreateRequest | UpdateRequest): Promise<Written>;
export function write(context: WriteContext, request: DeleteRequest): Promise<null>;
export function write(context: WriteContext, request: CommentRequest): Promise<Created<Activity>>;
export function write(context: WriteContext, request: OtherRequest): Promise<RawResponse>;
export async function write(
  context: WriteContext,
  request: CreateRequest | UpdateRequest | DeleteRequest | CommentRequest | OtherRequest,
): Promise<Written | Created<Activity> | RawResponse | null> {
  const api = await context.api();
  const isRecorded = request.isUndo !== true && !context.flags.dryRun;
  const writes = isRecorded ? await context.writes() : null;
  switch (request.kind) {
    case "create":
      return record(writes, create(api, request));
    case "update":
      return record(writes, update(api, request));
    case "delete":
      return record(writes, remove(api, request));
    case "comment":
      return record(writes, comment(api, request));
    case "other":
      return record(writes, other(api, request));
  }
}

/** A write, and what is recorded of it. */
interface RecordedWrite<T> {
  /** Reads what undo needs of what there is. */
  readonly describe: () => Write | Promise<Write>;
  readonly send: () => Promise<T>;
  readonly outcomeOf: (result: T, described: Write) => Outcome | Promise<Outcome>;
}

async function record<T>(
  writes: Pick<Writes, "begin"> | null,
  { describe, send, outcomeOf }: RecordedWrite<T>,
): Promise<T> {
  if (writes === null) return send();
  const described = await describe();
  const finish = await writes.begin(described);
  let result: T;
  try {
    result = await send();
  } catch (error) {
    if (isRefusal(error, described)) await finish(REFUSED);
    throw error;
  }
  await finish(await outcomeOf(result, described));
  return result;
}

const DONE: Outcome = { state: "done" };
const REFUSED: Outcome = { state: "refused" };

/**
 * Whether nothing was written. Without a status a PUT or DELETE may be repeated, but may also have been done, unless what is
 * wrong is on this machine.
 */
function isRefusal(error: unknown, { kind }: Write): boolean {
  if (!(error instanceof CliError) || isOutcomeUnknown(error)) return false;
  const { code, status = 0 } = error;
  if (kind === "create" || kind === "comment" || code === "configuration") return true;
  return status >= 400 && status < 500;
}

function create(api: WriteApi, { calendarId, draft, key }: CreateRequest): RecordedWrite<Written> {
  return {
    describe: () => ({ kind: "create", title: draft.title, calendarId }),
    async send() {
      const { created, isRepeat } = await api.createEvent(calendarId, draft, key);
      return { event: created, isRepeat, keptOccurrences: 0 };
    },
    outcomeOf: ({ event, isRepeat }) => ({ ...outcomeOfPost(isRepeat), after: event }),
  };
}

/** An undo of this command must not delete what an earlier one created with the same key. */
function outcomeOfPost(isRepeat: boolean): Outcome {
  return isRepeat ? REFUSED : DONE;
}

function update(
  api: WriteApi,
  { event: before, draft, scope, expectedUpdatedAt }: UpdateRequest,
): RecordedWrite<Written> {
  const address = addressOf(before);
  return {
    async describe() {
      const series = scope === "this" ? {} : await readSeries(api, before, scope);
      return { kind: "update", ...address, before, title: before.title, ...series, draft };
    },
    async send() {
      const isApplied =
        expectedUpdatedAt === null
          ? undefined
          : (found: CalendarEvent) => wasUpdated(found, { expectedUpdatedAt, draft });
      const { event, kept } = await api.updateEvent(address, draft, { isApplied, scope });
      return { event, isRepeat: false, keptOccurrences: kept };
    },
    outcomeOf: ({ event, keptOccurrences: kept }) => ({ ...DONE, after: event, ...(kept > 0 && { kept }) }),
  };
}

function remove(api: WriteApi, { calendarId, eventId, event, scope }: DeleteRequest): RecordedWrite<null> {
  const address = { calendarId, eventId };
  return {
    async describe() {
      const write = { kind: "delete", ...address } as const;
      if (event === null) return { ...write, title: null };
      const read = { before: event, title: event.title };
      const said = await readSeries(api, event, scope);
      if (said.series === undefined || scope === "this") return { ...write, ...read, ...said };
      const changed = await readChanged(api, said.series, scope === "following" ? eventId : "");
      return { ...write, ...(scope === "all" && { eventId: said.series.id }), ...read, ...said, changed };
    },
    async send() {
      await api.deleteEvent(address, { scope });
      return null;
    },
    outcomeOf: (_, { series }) =>
      series === undefined || scope === "all" ? DONE : readLeft(api, addressOf(series)),
  };
}

function comment(
  api: WriteApi,
  { title, content, key, ...target }: CommentRequest,
): RecordedWrite<Created<Activity>> {
  const { calendarId, eventId } = target;
  return {
    describe: () => ({ kind: "comment", calendarId, eventId, title }),
    send: () => api.createActivity({ calendarId, eventId }, content, key),
    outcomeOf: ({ isRepeat }) => outcomeOfPost(isRepeat),
  };
}

function other(api: WriteApi, { request }: OtherRequest): RecordedWrite<RawResponse> {
  return {
    describe: () => ({ kind: "other", title: `${request.method} ${request.path.split("?")[0]}` }),
    send: () => api.sendRaw(request),
    outcomeOf: ({ error }, described) => (isRefusal(error, described) ? REFUSED : DONE),
  };
}

function addressOf({ calendar_id: calendarId, id: eventId }: CalendarEvent): EventAddress {
  return { calendarId, eventId };
}

/** The series that a write with a scope changes. */
async function readSeries(
  api: WriteApi,
  before: CalendarEvent,
  scope: Scope | undefined,
): Promise<Pick<Write, "scope" | "series" | "changed">> {
  const { id, calendar_id: calendarId, series_id: seriesId, recurrences } = before;
  if (scope === undefined || seriesId === null) return {};
  const series = seriesId === id ? before : await api.getEvent({ calendarId, eventId: seriesId });
  return { scope, series, changed: recurrences.length === 0 ? [before] : [] };
}

/** What a delete takes with it that was changed on its own: it has the id of a start that is excepted. */
async function readChanged(
  api: WriteApi,
  { id, calendar_id: calendarId, recurrences }: CalendarEvent,
  from: string,
): Promise<readonly CalendarEvent[]> {
  const found: CalendarEvent[] = [];
  for (const slot of exceptedSlots(recurrences)) {
    const eventId = `${id}_${slot}`;
    if (eventId < from) continue;
    // One that may not be read is deleted all the same; whatever else fails would fail the delete, too.
    const event = await api
      .getEvent({ calendarId, eventId })
      .catch(nullOn("not_found", "forbidden", "rejected"));
    if (event !== null) found.push(event);
  }
  return found;
}

/** The series as a delete of some of its events has left it; where it cannot be read, that is not known. */
async function readLeft(api: WriteApi, address: EventAddress): Promise<Outcome> {
  try {
    return { ...DONE, after: await api.getEvent(address) };
  } catch (error) {
    return hasCode(error, "not_found") ? { ...DONE, scope: "all", eventId: address.eventId } : DONE;
  }
}
