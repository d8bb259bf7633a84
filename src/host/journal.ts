import { createHash } from "node:crypto";
import type { CalendarEvent } from "../../contract/shapes.js";
import type { Api } from "../api/client.js";
import { cacheOwnerOf } from "../cache/cache-file.js";
import type { Settings } from "../config/settings.js";
import type { Journal } from "../journal/journal.js";
import type { Token } from "../secrets/environment-secret.js";
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

interface JournalAccess {
  readonly settings: Settings;
  /** Null if there is none. */
  readonly token: () => Promise<Token | null>;
  readonly note: (text: string) => void;
}

/** Null if the profile keeps no journal. Without a profile, the journal is that of the token. */
export async function openJournal(
  { machine, run }: ClientDependencies,
  { settings, token, note }: JournalAccess,
) {
  if (settings.setting("journal")?.value === "off") return null;
  const { createJournal } = await import("../journal/journal.js");
  const { profile, service } = cacheOwnerOf(settings);
  const digest = async () =>
    createHash("sha256")
      .update((await token())?.value ?? "")
      .digest("base64url");
  const account = profile || `token:${await digest()}`;
  const place = settings.service.kind === "local" ? machine.dataDirectory() : service;
  const { now } = machine.clock;
  const { command, dryRun } = run;
  return createJournal({ ...machine, owner: `${account} ${place}`, command, dryRun, now, note });
}
