import type { Api } from "../api/client.js";
import type { KeyDependencies } from "../messages/ledger/keyed-creates.js";

/** The client that creates once under a key; what does so is loaded with the first one. */
export function withKeys(api: Api, dependencies: KeyDependencies): Api {
  const creates = async (key: string | undefined): Promise<Pick<Api, "createEvent" | "createActivity">> => {
    if (key === undefined) return api;
    const { createKeyedCreates } = await import("../messages/ledger/keyed-creates.js");
    return createKeyedCreates(api, { ...dependencies, key });
  };
  return {
    ...api,
    createEvent: async (calendarId, draft, key) => (await creates(key)).createEvent(calendarId, draft),
    createActivity: async (address, content, key) => (await creates(key)).createActivity(address, content),
  };
}
