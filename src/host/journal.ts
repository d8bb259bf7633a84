import type { CalendarEvent } from "../../contract/shapes.js";
import type { Api } from "../api/client.js";
import { cacheOwnerOf } from "../cache/cache-file.js";
import type { Settings } from "../config/settings.js";
import type { Journal } from "../journal/journal.js";
import { once } from "../system/once.js";
import type { ClientDependencies } from "./client.js";

/** The client that notes what it writes; what does so is loaded with the first write. */
export function noteWrites(api: Api, journal: () => Promise<Journal | null>): Api {
  const seen = new Map<string, CalendarEvent>();
  const writes = once(async () => {
    const opened = await journal();
    if (opened === null) return api;
    return (await import("../journal/record-writes.js")).recordWrites(api, opened, seen);
  });
  return {
    ...api,
    async getEvent(address) {
      const event = await api.getEvent(address);
      seen.set(address.eventId, event);
      return event;
    },
    createEvent: async (...args) => (await writes()).createEvent(...args),
    updateEvent: async (...args) => (await writes()).updateEvent(...args),
    deleteEvent: async (...args) => (await writes()).deleteEvent(...args),
    createActivity: async (...args) => (await writes()).createActivity(...args),
    sendRaw: async (request) => (await (request.method === "GET" ? api : await writes())).sendRaw(request),
  };
}

/** Null where the profile keeps none. */
export async function openJournal(
  { machine, run }: ClientDependencies,
  settings: Settings,
  note: (text: string) => void,
) {
  if (settings.setting("journal")?.value === "off") return null;
  const { createJournal } = await import("../journal/journal.js");
  const { profile, service } = cacheOwnerOf(settings);
  const place = settings.service.kind === "local" ? machine.dataDirectory() : service;
  const { now } = machine.clock;
  return createJournal({ ...machine, owner: `${profile} ${place}`, command: run.command, now, note });
}
