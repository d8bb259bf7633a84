import type { CalendarEvent } from "../../contract/shapes.js";
import type { Api } from "../api/client.js";
import type { EventAddress } from "../api/endpoints.js";
import { CliError, isOutcomeUnknown } from "../errors.js";
import type { Journal, Write } from "./journal.js";

type Writes = Pick<Api, "createEvent" | "updateEvent" | "deleteEvent" | "createActivity" | "sendRaw">;

/** The writes of a client, each noted before it is sent and after it was. @param seen the events that this run has read, by id */
export function recordWrites(api: Api, journal: Journal, seen: Map<string, CalendarEvent>): Writes {
  async function record<T>(
    write: Write,
    send: () => Promise<T>,
    after?: (result: T) => CalendarEvent,
  ): Promise<T> {
    const finish = journal.begin(write);
    try {
      const result = await send();
      finish({ done: true, ...(after && { after: after(result) }) });
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

  return {
    createEvent: (calendarId, draft) =>
      record(
        { kind: "create", title: draft.title, calendarId },
        () => api.createEvent(calendarId, draft),
        (event) => event,
      ),
    async updateEvent(address, draft, isApplied) {
      const write: Write = { kind: "update", ...address, ...(await readBefore(address)), draft };
      const event = await record(
        write,
        () => api.updateEvent(address, draft, isApplied),
        (after) => after,
      );
      seen.set(address.eventId, event);
      return event;
    },
    async deleteEvent(address) {
      const write: Write = { kind: "delete", ...address, ...(await readBefore(address)) };
      await record(write, () => api.deleteEvent(address));
      seen.delete(address.eventId);
    },
    createActivity: (address, content) => {
      const title = seen.get(address.eventId)?.title ?? null;
      return record({ kind: "comment", ...address, title }, () => api.createActivity(address, content));
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

/** Whether nothing was written. Without a status a PUT or DELETE may be repeated, but may also have been done. */
function isRefusal(error: unknown, { kind }: Write): boolean {
  if (!(error instanceof CliError) || isOutcomeUnknown(error)) return false;
  const { status = 0 } = error;
  return kind === "create" || kind === "comment" || (status >= 400 && status < 500);
}
