import type { Activity } from "../../../contract/shapes.js";
import type { Api } from "../../api/client.js";
import type { Created } from "../../api/endpoints.js";
import type { Settings } from "../../config/settings.js";
import { hasCode, MADE_DELETED, usedKeyError } from "../../errors.js";
import type { Ledger } from "./ledger.js";
import { ledgerKey } from "./ledger-key.js";

export interface KeyDependencies {
  readonly settings: () => Settings;
  readonly ledger: () => Promise<Ledger>;
}

interface KeyedCreate<T> {
  readonly calendarId: string;
  readonly content: unknown;
  readonly send: () => Promise<Created<T>>;
  /** What this machine keeps of it, from which `readAgain` reads it. */
  readonly resultOf: (created: T) => string;
  readonly readAgain: (result: string) => Promise<T>;
}

/**
 * The creates of a client under a key, each at most once: the same key and content again give what was made, an event as it
 * is now. The service keeps the key where it can, otherwise this machine does. All throw CliError rejected when the key was
 * used for other content, or its event was deleted since; outcome_unknown when it is unknown whether it has made something.
 */
export function createKeyedCreates(
  api: Api,
  { key, settings, ledger }: KeyDependencies & { readonly key: string },
): Pick<Api, "createEvent" | "createActivity"> {
  async function createOnce<T>(create: KeyedCreate<T>): Promise<Created<T>> {
    const { calendarId, content, send, resultOf, readAgain } = create;
    if (await api.hasExtension("keys", calendarId)) return send();
    const id = ledgerKey(settings(), "key", { calendarId, key });
    const write = await (await ledger()).writeOnce({ id, key, content }, async () => {
      const { created } = await send();
      return { made: created, result: resultOf(created) };
    });
    if (write.kind === "made") return { created: write.made, isRepeat: false };
    const created = await readAgain(write.result).catch((cause: unknown) => {
      if (!hasCode(cause, "not_found")) throw cause;
      throw usedKeyError(key, MADE_DELETED, { status: cause.status, cause });
    });
    return { created, isRepeat: true };
  }

  return {
    createEvent(calendarId, draft) {
      const fields = Object.entries(draft).filter(([, value]) => value !== undefined);
      return createOnce({
        calendarId,
        content: ["event", fields.sort()],
        send: () => api.createEvent(calendarId, draft, key),
        resultOf: ({ id }) => id,
        readAgain: (eventId) => api.getEvent({ calendarId, eventId }),
      });
    },
    createActivity: (address, content) =>
      createOnce({
        calendarId: address.calendarId,
        content: ["comment", address.eventId, content],
        send: () => api.createActivity(address, content, key),
        // The contract cannot read a comment again.
        resultOf: (comment) => JSON.stringify(comment),
        readAgain: async (comment) => JSON.parse(comment) as Activity,
      }),
  };
}
