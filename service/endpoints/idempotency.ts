import * as v from "valibot";
import { isIdempotencyKey } from "../../contract/extensions.js";
import { badRequest, ProblemError } from "../http/response.js";
import { hashSecret } from "../secrets.js";
import { findIdempotencyKey, insertIdempotencyKey } from "../store/idempotency-keys.js";
import { requireCalendar, type WriteContext, type WriteResult } from "./endpoint.js";

/** A create that may come with a key. */
interface Creation {
  /** What the key stands for besides the body, such as the name of the operation and the ids of its path. */
  readonly operation: readonly string[];
  readonly schema: v.GenericSchema;
  /** @throws ProblemError, for an invalid body too */
  readonly create: () => Promise<{ readonly id: string; readonly body: object }>;
  /** The body for what was created before, as it is now; null if it was deleted. */
  readonly find: (id: string) => Promise<object | null>;
}

/**
 * Creates something once for each key of a user in a calendar; a request without a key creates it each time. The transaction
 * holds the locks of the calendar, so of several requests with one key the later ones find what the first has made.
 * @throws ProblemError 400 for a malformed key, 410 when what it made was deleted, 422 when it made something else
 */
export async function createOnce(context: WriteContext, creation: Creation): Promise<WriteResult> {
  const { db, access, now, key } = context;
  const { id: calendar_id } = requireCalendar(access);
  if (key === undefined) return creation.create();
  const place = { calendar_id, user_id: access.user.id, key: parseKey(key) };
  const request_hash = hashRequest(context, creation);
  const made = await findIdempotencyKey(db, place, now);
  if (made === undefined) {
    const { id, body } = await creation.create();
    await insertIdempotencyKey(db, { request_hash, resource_id: id, created_at: now, ...place });
    return { body };
  }
  if (made.request_hash !== request_hash)
    throw new ProblemError(422, { errors: "this Idempotency-Key was used for other content" });
  const body = await creation.find(made.resource_id);
  if (body === null)
    throw new ProblemError(410, { errors: "what was made with this Idempotency-Key was deleted since" });
  return { body, isReplay: true };
}

/** @throws ProblemError 400 */
function parseKey(header: string): string {
  const key = header.trim();
  if (isIdempotencyKey(key)) return key;
  throw badRequest("the header Idempotency-Key must have 1 to 255 printable ASCII characters");
}

/**
 * The hash of what a request asks for. Members that the service does not know, the order of members and those that are null
 * make no difference.
 */
function hashRequest({ body }: WriteContext, { operation, schema }: Creation): string {
  const { success, output } = v.safeParse(schema, body);
  const known = success ? JSON.stringify(output, (_, value: unknown) => value ?? undefined) : "";
  return hashSecret(JSON.stringify([...operation, known]));
}
