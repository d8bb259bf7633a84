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

interface CreateRequest {
  readonly kind: "create";
  readonly calendarId: string;
  readonly draft: EventDraft;
  /** The idempotency key. */
  readonly key?: string | undefined;
}

interface UpdateRequest {
  readonly kind: "update";
  /** As it was read. */
  readonly event: CalendarEvent;
  readonly draft: EventDraft;
  /** Of an event that repeats. */
  readonly scope?: Scope | undefined;
  /** Its `updated_at` when it was read, in milliseconds since the Unix epoch; null to replace whatever is there. */
  readonly seen: number | null;
}

interface DeleteRequest extends EventAddress {
  readonly kind: "delete";
  /** The event as it was read; null if the user may not read it. */
  readonly event: CalendarEvent | null;
  readonly scope?: Scope | undefined;
}

interface CommentRequest extends EventAddress {
  readonly kind: "comment";
  /** Of the event; null if it was not read. */
  readonly title: string | null;
  readonly content: string;
  readonly key?: string | undefined;
}

/** A write that `calctl api` sends. */
interface OtherRequest {
  readonly kind: "other";
  readonly request: RawRequest;
}

/** An event as a write has left it; the series where one was written. */
export interface Written {
  readonly event: CalendarEvent;
  /** Whether it was already created with this key. */
  readonly isRepeat: boolean;
  /** How many occurrences of a series were changed before, each on its own, and stay as they are. */
  readonly kept: number;
}

/**
 * Every write of the service's data but feeds: sends it, and notes it in the journal before and after, so that `calctl undo`
 * can take it back. Notes nothing in a dry run, and where the profile keeps no journal.
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
  const writes = context.flags.dryRun ? null : await context.writes();
  switch (request.kind) {
    case "create":
      return noted(writes, create(api, request));
    case "update":
      return noted(writes, update(api, request));
    case "delete":
      return noted(writes, remove(api, request));
    case "comment":
      return noted(writes, comment(api, request));
    case "other":
      return noted(writes, other(api, request));
  }
}

/** A write, and what is noted of it. */
interface NotedWrite<T> {
  /** Reads what undo needs of what there is. */
  readonly describe: () => Write | Promise<Write>;
  readonly send: () => Promise<T>;
  readonly outcomeOf: (result: T, described: Write) => Outcome | Promise<Outcome>;
}

async function noted<T>(
  writes: Pick<Writes, "begin"> | null,
  { describe, send, outcomeOf }: NotedWrite<T>,
): Promise<T> {
  if (writes === null) return send();
  const described = await describe();
  const finish = await writes.begin(described);
  const result = await send().catch(async (error: unknown) => {
    if (isRefusal(error, described)) await finish(REFUSED);
    throw error;
  });
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

function create(api: WriteApi, { calendarId, draft, key }: CreateRequest): NotedWrite<Written> {
  return {
    describe: () => ({ kind: "create", title: draft.title, calendarId }),
    async send() {
      const { created, isRepeat } = await api.createEvent(calendarId, draft, key);
      return { event: created, isRepeat, kept: 0 };
    },
    outcomeOf: ({ event, isRepeat }) => ({ ...outcomeOfPost(isRepeat), after: event }),
  };
}

/** An undo of this command must not delete what an earlier one created with the same key. */
function outcomeOfPost(isRepeat: boolean): Outcome {
  return isRepeat ? REFUSED : DONE;
}

function update(api: WriteApi, { event: before, draft, scope, seen }: UpdateRequest): NotedWrite<Written> {
  const address = addressOf(before);
  return {
    async describe() {
      const series = scope === "this" ? {} : await readSeries(api, before, scope);
      return { kind: "update", ...address, before, title: before.title, ...series, draft };
    },
    async send() {
      const isApplied =
        seen === null ? undefined : (found: CalendarEvent) => wasUpdated(found, { seen, draft });
      return { ...(await api.updateEvent(address, draft, { isApplied, scope })), isRepeat: false };
    },
    outcomeOf: ({ event, kept }) => ({ ...DONE, after: event, ...(kept > 0 && { kept }) }),
  };
}

function remove(api: WriteApi, { calendarId, eventId, event, scope }: DeleteRequest): NotedWrite<null> {
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
): NotedWrite<Created<Activity>> {
  const { calendarId, eventId } = target;
  return {
    describe: () => ({ kind: "comment", calendarId, eventId, title }),
    send: () => api.createActivity({ calendarId, eventId }, content, key),
    outcomeOf: ({ isRepeat }) => outcomeOfPost(isRepeat),
  };
}

function other(api: WriteApi, { request }: OtherRequest): NotedWrite<RawResponse> {
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
function readLeft(api: WriteApi, address: EventAddress): Promise<Outcome> {
  return api.getEvent(address).then(
    (after): Outcome => ({ ...DONE, after }),
    (error: unknown) =>
      hasCode(error, "not_found") ? { ...DONE, scope: "all", eventId: address.eventId } : DONE,
  );
}
