import type { Activity, CalendarEvent, EventDraft } from "../../../contract/shapes.js";
import type { Created, EventAddress } from "../../api/endpoints.js";
import type { WriteKey } from "../../api/json-api/json-api.js";
import type { Context } from "../../context.js";
import { hasCode, MADE_DELETED, usedKeyError } from "../../errors.js";
import { ledgerKey } from "../post/ledger-key.js";
import { hasExtension } from "./extensions.js";

export type KeyContext = Pick<Context, "api" | "config" | "flags" | "messages">;

/**
 * Creates an event under a key, at most once: the same key and content again give the event as it is now. The service
 * keeps the key where it can, otherwise this machine does.
 * @throws CliError rejected when the key was used for other content, or its event was deleted since; outcome_unknown when it
 * is unknown whether the key has made an event
 */
export function createWithKey(
  context: KeyContext,
  {
    calendarId,
    draft,
    key,
  }: { readonly calendarId: string; readonly draft: EventDraft; readonly key: string },
): Promise<Created<CalendarEvent>> {
  const fields = Object.entries(draft).filter(([, value]) => value !== undefined);
  return writeWithKey(context, {
    calendarId,
    key,
    content: ["event", fields.sort()],
    send: async (writeKey) => (await context.api()).createEvent(calendarId, draft, writeKey),
    resultOf: ({ id }) => id,
    readAgain: async (eventId) => (await context.api()).getEvent({ calendarId, eventId }),
  });
}

/** Comments on an event under a key, like `createWithKey`. */
export function commentWithKey(
  context: KeyContext,
  {
    address,
    content,
    key,
  }: { readonly address: EventAddress; readonly content: string; readonly key: string },
): Promise<Created<Activity>> {
  const { calendarId, eventId } = address;
  return writeWithKey(context, {
    calendarId,
    key,
    content: ["comment", eventId, content],
    send: async (writeKey) => (await context.api()).createActivity(address, content, writeKey),
    // The contract cannot read a comment again.
    resultOf: (comment) => JSON.stringify(comment),
    readAgain: async (comment) => JSON.parse(comment) as Activity,
  });
}

interface KeyedWrite<T> {
  readonly calendarId: string;
  readonly key: string;
  readonly content: unknown;
  readonly send: (key?: WriteKey) => Promise<Created<T>>;
  /** What this machine keeps of it, from which `readAgain` reads it. */
  readonly resultOf: (created: T) => string;
  readonly readAgain: (result: string) => Promise<T>;
}

async function writeWithKey<T>(
  context: KeyContext,
  { calendarId, key, content, send, resultOf, readAgain }: KeyedWrite<T>,
): Promise<Created<T>> {
  if (context.flags.dryRun) return send();
  if (await hasExtension(await context.api(), "keys", calendarId)) return send({ key, isKept: true });
  const id = ledgerKey(context, "key", { calendarId, key });
  const write = await (await context.messages.ledger()).writeOnce({ id, key, content }, async () => {
    const { created } = await send({ key, isKept: false });
    return { made: created, result: resultOf(created) };
  });
  if (write.kind === "made") return { created: write.made, isRepeat: false };
  const created = await readAgain(write.result).catch((cause: unknown) => {
    if (!hasCode(cause, "not_found")) throw cause;
    throw usedKeyError(key, MADE_DELETED, { status: cause.status, cause });
  });
  return { created, isRepeat: true };
}
