import { exceptedSlots, type Scope } from "../../contract/extensions.js";
import type { CalendarEvent } from "../../contract/shapes.js";
import type { Api } from "../api/client.js";
import type { Created, EventAddress } from "../api/endpoints.js";
import { CliError, hasCode, isOutcomeUnknown } from "../errors.js";
import type { Outcome, Write } from "./entry.js";
import type { Journal } from "./journal.js";

type Writes = Pick<Api, "createEvent" | "updateEvent" | "deleteEvent" | "createActivity" | "sendRaw">;

/** The writes of a client, each noted before it is sent and after it was. @param seen the events that this run has read, by id */
export function recordWrites(api: Api, journal: Journal, seen: Map<string, CalendarEvent>): Writes {
  async function record<T>(
    write: Write,
    send: () => Promise<T>,
    outcomeOf: (result: T) => Outcome = () => DONE,
  ): Promise<T> {
    const finish = journal.begin(write);
    try {
      const result = await send();
      finish(outcomeOf(result));
      return result;
    } catch (error) {
      if (isRefusal(error, write)) finish({ failed: true });
      throw error;
    }
  }

  /** What there is before a write. An event that may not be read is written all the same; whatever else fails would fail it, too. */
  async function readBefore(address: EventAddress): Promise<Pick<Write, "before" | "title">> {
    try {
      const before = seen.get(address.eventId) ?? (await api.getEvent(address));
      return { before, title: before.title };
    } catch (error) {
      const { code } = error as Partial<CliError>;
      if (code !== "not_found" && code !== "forbidden" && code !== "rejected") throw error;
      return { title: null };
    }
  }

  /** The series that a write with a scope changes. */
  async function readSeries(
    { calendarId, eventId }: EventAddress,
    before: CalendarEvent | undefined,
    scope: Scope | undefined,
  ): Promise<Pick<Write, "scope" | "series" | "changed">> {
    const { series_id: seriesId = null } = before ?? {};
    if (scope === undefined || before === undefined || seriesId === null) return {};
    const series = seriesId === eventId ? before : await api.getEvent({ calendarId, eventId: seriesId });
    return { scope, series, changed: before.recurrences.length === 0 ? [before] : [] };
  }

  /** What a delete takes with it that was changed on its own: it has the id of a start that is excepted. */
  async function readChanged(series: CalendarEvent, from: string): Promise<readonly CalendarEvent[]> {
    const found: CalendarEvent[] = [];
    for (const slot of exceptedSlots(series.recurrences)) {
      const eventId = `${series.id}_${slot}`;
      if (eventId < from) continue;
      const { before } = await readBefore({ calendarId: series.calendar_id, eventId });
      if (before !== undefined) found.push(before);
    }
    return found;
  }

  /** The series as a delete of some of its events has left it; where it cannot be read, the events are deleted anyway. */
  async function readLeft({ calendar_id: calendarId, id }: CalendarEvent): Promise<Outcome> {
    return api.getEvent({ calendarId, eventId: id }).then(
      (after): Outcome => ({ ...DONE, after }),
      (error: unknown) => (hasCode(error, "not_found") ? { ...DONE, scope: "all", eventId: id } : DONE),
    );
  }

  return {
    createEvent: (calendarId, draft, key) =>
      record(
        { kind: "create", title: draft.title, calendarId },
        () => api.createEvent(calendarId, draft, key),
        (result) => ({ after: result.created, ...outcomeOfCreate(result) }),
      ),
    async updateEvent(address, draft, options = {}) {
      const read = await readBefore(address);
      const { scope } = options;
      const series = scope === "this" ? {} : await readSeries(address, read.before, scope);
      const write: Write = { kind: "update", ...address, ...read, ...series, draft };
      const updated = await record(
        write,
        () => api.updateEvent(address, draft, options),
        ({ event, kept }) => ({ done: true, after: event, ...(kept === 0 ? {} : { kept }) }),
      );
      seen.delete(address.eventId);
      seen.set(updated.event.id, updated.event);
      return updated;
    },
    async deleteEvent(address, { scope } = {}) {
      const read = await readBefore(address);
      const said = await readSeries(address, read.before, scope);
      const { series } = said;
      const from = scope === "following" ? address.eventId : "";
      const changed =
        series === undefined || scope === "this" ? {} : { changed: await readChanged(series, from) };
      const eventId = scope === "all" && series !== undefined ? series.id : address.eventId;
      const write: Write = { kind: "delete", ...address, eventId, ...read, ...said, ...changed };
      const deleteIt = async (): Promise<Outcome> => {
        await api.deleteEvent(address, { scope });
        seen.delete(address.eventId);
        return series === undefined || scope === "all" ? DONE : readLeft(series);
      };
      await record(write, deleteIt, (outcome) => outcome);
    },
    createActivity: (address, content, key) => {
      const title = seen.get(address.eventId)?.title ?? null;
      return record(
        { kind: "comment", ...address, title },
        () => api.createActivity(address, content, key),
        outcomeOfCreate,
      );
    },
    async sendRaw(request) {
      if (request.method === "GET") return api.sendRaw(request);
      const write: Write = { kind: "other", title: `${request.method} ${request.path.split("?")[0]}` };
      const finish = journal.begin(write);
      const response = await api.sendRaw(request);
      finish(isRefusal(response.error, write) ? { failed: true } : { done: true });
      return response;
    },
  };
}

const DONE: Outcome = { done: true };

/** What an earlier command made is not taken back with this one. */
function outcomeOfCreate({ isRepeat }: Created<unknown>): Outcome {
  return isRepeat ? { failed: true } : DONE;
}

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
