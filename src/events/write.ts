import { excludedStarts, type Scope } from "../../contract/extensions.js";
import type { Activity, Event, EventDraft } from "../../contract/shapes.js";
import type { WriteClient } from "../api/client.js";
import type { Created, EventAddress } from "../api/endpoints.js";
import type { RawResponse, RawWrite } from "../api/raw-request.js";
import { CliError, isOutcomeUnknown, nullOn } from "../errors.js";
import type { StateTransaction } from "../state/state.js";
import type { Outcome, Write, Writes } from "../state/writes.js";
import { wasUpdated } from "./content.js";

/** What a write uses of a run. */
interface WriteRun {
  writing(): Promise<{ readonly client: WriteClient; readonly writes: Recorder | null }>;
}

type Recorder = Pick<Writes, "begin">;

/**
 * What an import notes of a write, in the transactions in which the write is recorded. Each part may be repeated, so it must have
 * no lasting effects but its statements.
 * @param T what the write returns
 */
export interface AlsoNoted<T> extends Pick<Write, "imported"> {
  /** Runs a transaction where the write is not recorded. */
  readonly transact: (work: (db: StateTransaction) => void) => Promise<void>;
  readonly pending: (db: StateTransaction) => void;
  readonly done: (db: StateTransaction, result: T) => void;
  /** Nothing was written. */
  readonly refused: (db: StateTransaction, error: CliError) => void;
}

interface BaseRequest<T> {
  /** Whether it takes another write back: it is not recorded, since an undo is not undone. */
  readonly isUndo?: boolean;
  readonly also?: AlsoNoted<T> | undefined;
}

interface CreateRequest extends BaseRequest<Written> {
  readonly kind: "create";
  readonly calendarId: string;
  readonly draft: EventDraft;
  /** The idempotency key. */
  readonly key?: string | undefined;
}

interface UpdateRequest extends BaseRequest<Written> {
  readonly kind: "update";
  /** As it was read. */
  readonly event: Event;
  readonly draft: EventDraft;
  /** Of an event that repeats. */
  readonly scope?: Scope | undefined;
  /** Its `updated_at` when it was read, in milliseconds since the Unix epoch; null to replace whatever is there. */
  readonly expectedUpdatedAt: number | null;
}

interface DeleteRequest extends BaseRequest<null>, EventAddress {
  readonly kind: "delete";
  /** The event as it was read; null if the user may not read it. */
  readonly event: Event | null;
  readonly scope?: Scope | undefined;
}

interface CommentRequest extends BaseRequest<Created<Activity>>, EventAddress {
  readonly kind: "comment";
  /** Of the event; null if it was not read. */
  readonly title: string | null;
  readonly content: string;
  readonly key?: string | undefined;
}

/** A write that `calctl api` sends. */
interface OtherRequest extends BaseRequest<RawResponse> {
  readonly kind: "other";
  readonly request: RawWrite;
}

/** An event as a write has left it; the series where one was written. */
export interface Written {
  readonly event: Event;
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
export function write(run: WriteRun, request: CreateRequest | UpdateRequest): Promise<Written>;
export function write(run: WriteRun, request: DeleteRequest): Promise<null>;
export function write(run: WriteRun, request: CommentRequest): Promise<Created<Activity>>;
export function write(run: WriteRun, request: OtherRequest): Promise<RawResponse>;
export async function write(
  run: WriteRun,
  request: CreateRequest | UpdateRequest | DeleteRequest | CommentRequest | OtherRequest,
): Promise<Written | Created<Activity> | RawResponse | null> {
  const { client, writes } = await run.writing();
  const recorder = request.isUndo === true ? null : writes;
  switch (request.kind) {
    case "create":
      return record(recorder, create(client, request), request);
    case "update":
      return record(recorder, update(client, request), request);
    case "delete":
      return record(recorder, remove(client, request), request);
    case "comment":
      return record(recorder, comment(client, request), request);
    case "other":
      return record(recorder, other(client, request), request);
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
  recorder: Recorder | null,
  { describe, send, outcomeOf }: RecordedWrite<T>,
  { kind, also }: BaseRequest<T> & Pick<Write, "kind">,
): Promise<T> {
  if (recorder === null) return also === undefined ? send() : noteAlone(send, kind, also);
  const described = { ...(await describe()), imported: also?.imported };
  const finish = await recorder.begin(described, also?.pending);
  let result: T;
  try {
    result = await send();
  } catch (error) {
    if (isRefusal(error, kind)) await finish(REFUSED, also && ((db) => also.refused(db, error)));
    throw error;
  }
  let outcome = DONE;
  try {
    outcome = await outcomeOf(result, described);
  } finally {
    await finish(outcome, also && ((db) => also.done(db, result)));
  }
  return result;
}

/** Sends a write that is not recorded, with what else is noted of it. */
async function noteAlone<T>(
  send: () => Promise<T>,
  kind: Write["kind"],
  { transact, pending, done, refused }: AlsoNoted<T>,
): Promise<T> {
  await transact(pending);
  let result: T;
  try {
    result = await send();
  } catch (error) {
    if (isRefusal(error, kind)) await transact((db) => refused(db, error));
    throw error;
  }
  await transact((db) => done(db, result));
  return result;
}

const DONE: Outcome = { state: "done" };
const REFUSED: Outcome = { state: "refused" };

/**
 * Whether nothing was written. Without a status a PUT or DELETE may be repeated, but may also have been done, unless what is
 * wrong is on this machine.
 */
function isRefusal(error: unknown, kind: Write["kind"]): error is CliError {
  if (!(error instanceof CliError) || isOutcomeUnknown(error)) return false;
  const { code, status = 0 } = error;
  if (kind === "create" || kind === "comment" || code === "configuration") return true;
  return status >= 400 && status < 500;
}

function create(
  client: WriteClient,
  { calendarId, draft, key, also }: CreateRequest,
): RecordedWrite<Written> {
  return {
    describe: () => ({ kind: "create", title: draft.title, calendarId }),
    async send() {
      const { created, isRepeat } = await client.createEvent(calendarId, draft, key);
      return { event: created, isRepeat, keptOccurrences: 0 };
    },
    // An import makes its keys itself: a repeat is its own create, whose response was lost or whose run was killed.
    outcomeOf: ({ event, isRepeat }) => ({
      ...outcomeOfPost(isRepeat && also === undefined),
      after: event,
    }),
  };
}

/** An undo of this command must not delete what an earlier one created with the same key. */
function outcomeOfPost(isRepeat: boolean): Outcome {
  return isRepeat ? REFUSED : DONE;
}

function update(
  client: WriteClient,
  { event: before, draft, scope, expectedUpdatedAt }: UpdateRequest,
): RecordedWrite<Written> {
  const address = addressOf(before);
  return {
    async describe() {
      const series = scope === "this" ? {} : await readSeries(client, before, scope);
      return { kind: "update", ...address, before, title: before.title, ...series, draft };
    },
    async send() {
      const isApplied =
        expectedUpdatedAt === null
          ? undefined
          : (found: Event) => wasUpdated(found, { expectedUpdatedAt, draft });
      const { event, kept } = await client.updateEvent(address, draft, { isApplied, scope });
      return { event, isRepeat: false, keptOccurrences: kept };
    },
    outcomeOf: ({ event, keptOccurrences: kept }) => ({ ...DONE, after: event, ...(kept > 0 && { kept }) }),
  };
}

function remove(
  client: WriteClient,
  { calendarId, eventId, event, scope }: DeleteRequest,
): RecordedWrite<null> {
  const address = { calendarId, eventId };
  return {
    async describe() {
      const write = { kind: "delete", ...address } as const;
      if (event === null) return { ...write, title: null };
      const read = { before: event, title: event.title };
      const said = await readSeries(client, event, scope);
      if (said.series === undefined || scope === "this") return { ...write, ...read, ...said };
      const changed = await readChanged(client, said.series, scope === "following" ? eventId : "");
      return { ...write, ...(scope === "all" && { eventId: said.series.id }), ...read, ...said, changed };
    },
    async send() {
      await client.deleteEvent(address, { scope });
      return null;
    },
    outcomeOf: (_, { series }) =>
      series === undefined || scope === "all" ? DONE : readLeft(client, addressOf(series)),
  };
}

function comment(
  client: WriteClient,
  { title, content, key, ...target }: CommentRequest,
): RecordedWrite<Created<Activity>> {
  const { calendarId, eventId } = target;
  return {
    describe: () => ({ kind: "comment", calendarId, eventId, title }),
    send: () => client.createActivity({ calendarId, eventId }, content, key),
    outcomeOf: ({ isRepeat }) => outcomeOfPost(isRepeat),
  };
}

function other(client: WriteClient, { request }: OtherRequest): RecordedWrite<RawResponse> {
  return {
    describe: () => ({ kind: "other", title: `${request.method} ${request.path.split("?")[0]}` }),
    send: () => client.sendRaw(request),
    outcomeOf: ({ error }, described) => (isRefusal(error, described.kind) ? REFUSED : DONE),
  };
}

function addressOf({ calendar_id: calendarId, id: eventId }: Event): EventAddress {
  return { calendarId, eventId };
}

/** The series that a write with a scope changes. */
async function readSeries(
  client: WriteClient,
  before: Event,
  scope: Scope | undefined,
): Promise<Pick<Write, "scope" | "series" | "changed">> {
  const { id, calendar_id: calendarId, series_id: seriesId, recurrences } = before;
  if (scope === undefined || seriesId === null) return {};
  const series = seriesId === id ? before : await client.getEvent({ calendarId, eventId: seriesId });
  return { scope, series, changed: recurrences.length === 0 ? [before] : [] };
}

/** What a delete takes with it that was changed on its own: it has the id of a start that is excepted. */
async function readChanged(
  client: WriteClient,
  { id, calendar_id: calendarId, recurrences }: Event,
  from: string,
): Promise<readonly Event[]> {
  const found: Event[] = [];
  for (const originalStart of excludedStarts(recurrences)) {
    const eventId = `${id}_${originalStart}`;
    if (eventId < from) continue;
    // One that may not be read is deleted all the same; whatever else fails would fail the delete, too.
    const event = await client
      .getEvent({ calendarId, eventId })
      .catch(nullOn("not_found", "forbidden", "rejected"));
    if (event !== null) found.push(event);
  }
  return found;
}

/** The series as a delete of some of its events has left it; where it cannot be read, that is not known. */
async function readLeft(client: WriteClient, address: EventAddress): Promise<Outcome> {
  try {
    return { ...DONE, after: await client.getEvent(address) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return error.code === "not_found" ? { ...DONE, scope: "all", eventId: address.eventId } : DONE;
  }
}
