import { AUTHORIZATION_CODE_SECONDS } from "../../contract/limits.js";
import { hashSecret } from "../secrets.js";
import type { AuthorizationCodeRow, ClientRow } from "./schema.js";
import type { Queries } from "./sqlite/open.js";

/** The client of a client id; undefined when there is none. */
export function findClient(db: Queries, clientId: string): Promise<ClientRow | undefined> {
  return db.selectFrom("clients").selectAll().where("client_id", "=", clientId).executeTakeFirst();
}

/** The redirect URIs of a client in the order they were given. @param client `id` of the client */
export async function listRedirectUris(db: Queries, client: string): Promise<string[]> {
  const rows = await db
    .selectFrom("redirect_uris")
    .select("uri")
    .where("client", "=", client)
    .orderBy("position")
    .execute();
  return rows.map(({ uri }) => uri);
}

/** How long a code is remembered after its end, so that a late second use is recognised. In milliseconds. */
const MEMORY = 24 * 3_600_000;

export type NewAuthorizationCode = Omit<AuthorizationCodeRow, "hash" | "expires_at" | "used" | "token_id">;

export interface CodeMoment {
  readonly code: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Adds a code and sweeps out old ones. */
export async function insertCode(
  db: Queries,
  row: NewAuthorizationCode,
  { code, now }: CodeMoment,
): Promise<void> {
  await db
    .deleteFrom("authorization_codes")
    .where("expires_at", "<=", now - MEMORY)
    .execute();
  const expires_at = now + AUTHORIZATION_CODE_SECONDS * 1000;
  await db
    .insertInto("authorization_codes")
    .values({ ...row, hash: hashSecret(code), expires_at, used: 0, token_id: null })
    .execute();
}

/**
 * Uses a code up, which works once: what is true in the condition is no longer true after the update. Undefined when
 * there is no such code of the client, or it was used or is over.
 */
export function useCode(
  db: Queries,
  client: string,
  { code, now }: CodeMoment,
): Promise<AuthorizationCodeRow | undefined> {
  return db
    .updateTable("authorization_codes")
    .set({ used: 1 })
    .where("hash", "=", hashSecret(code))
    .where("client", "=", client)
    .where("used", "=", 0)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
}

/** Remembers what a code was exchanged for. */
export async function noteToken(db: Queries, code: string, tokenId: string): Promise<void> {
  await db
    .updateTable("authorization_codes")
    .set({ token_id: tokenId })
    .where("hash", "=", hashSecret(code))
    .execute();
}

/** Ends the token of a code that comes a second time: one of the two senders has stolen it. @see RFC 6749 §4.1.2 */
export async function revokeTokenOf(db: Queries, client: string, code: string): Promise<void> {
  await db
    .deleteFrom("tokens")
    .where("id", "in", (codes) =>
      codes
        .selectFrom("authorization_codes")
        .select("token_id")
        .where("hash", "=", hashSecret(code))
        .where("client", "=", client)
        .where("token_id", "is not", null)
        .$narrowType<{ token_id: string }>(),
    )
    .execute();
}
