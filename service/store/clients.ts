import { DAY_MS } from "../../contract/date-time.js";
import { AUTHORIZATION_CODE_SECONDS } from "../../contract/limits.js";
import { hashSecret } from "../secrets.js";
import type { AuthorizationCodeRow, ClientRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** The clients that an operator registered. The public client is none of them, and alone has no secret. */
export function selectRegisteredClients(db: Transaction) {
  return db.selectFrom("clients").selectAll().where("secret_hash", "!=", "");
}

/** The registered client with a client id; undefined if there is none. */
export function findRegisteredClient(db: Transaction, clientId: string): Promise<ClientRow | undefined> {
  return selectRegisteredClients(db).where("client_id", "=", clientId).executeTakeFirst();
}

/** Inserts a client unless it is there. */
export async function ensureClient(db: Transaction, client: ClientRow): Promise<void> {
  await db
    .insertInto("clients")
    .values(client)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** The redirect URIs of a client in the order of registration. @param client `id` of the client */
export async function listRedirectUris(db: Transaction, client: string): Promise<string[]> {
  const rows = await db
    .selectFrom("redirect_uris")
    .select("uri")
    .where("client", "=", client)
    .orderBy("position")
    .execute();
  return rows.map(({ uri }) => uri);
}

/** The redirect URIs of every client, by its `id`, each in the order of registration. */
export async function listAllRedirectUris(db: Transaction): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db
    .selectFrom("redirect_uris")
    .select(["client", "uri"])
    .orderBy("client")
    .orderBy("position")
    .execute();
  const all = new Map<string, readonly string[]>();
  for (const { client, uri } of rows) all.set(client, [...(all.get(client) ?? []), uri]);
  return all;
}

/** How long an expired code stays in the table, so that its reuse is detected (ms). */
const EXPIRED_CODE_RETENTION = DAY_MS;

export type NewAuthorizationCode = Omit<AuthorizationCodeRow, "hash" | "expires_at" | "used" | "token_id">;

export interface CodeOptions {
  readonly code: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Inserts a code and deletes those that expired long ago. */
export async function insertCode(
  db: Transaction,
  row: NewAuthorizationCode,
  { code, now }: CodeOptions,
): Promise<void> {
  await db
    .deleteFrom("authorization_codes")
    .where("expires_at", "<=", now - EXPIRED_CODE_RETENTION)
    .execute();
  const expires_at = now + AUTHORIZATION_CODE_SECONDS * 1000;
  await db
    .insertInto("authorization_codes")
    .values({ ...row, hash: hashSecret(code), expires_at, used: 0, token_id: null })
    .execute();
}

/**
 * Redeems a code: marks it as used and returns it. One conditional update, so only one of several requests succeeds.
 * Undefined if the client has no such code, or if it was used or has expired.
 */
export function redeemCode(
  db: Transaction,
  client: string,
  { code, now }: CodeOptions,
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

/** Stores which token a code was redeemed for. */
export async function setTokenOfCode(db: Transaction, code: string, tokenId: string): Promise<void> {
  await db
    .updateTable("authorization_codes")
    .set({ token_id: tokenId })
    .where("hash", "=", hashSecret(code))
    .execute();
}

/** Revokes the token of a code that is presented again: the code may have been stolen. @see RFC 6749 §4.1.2 */
export async function revokeTokenOfCode(db: Transaction, client: string, code: string): Promise<void> {
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
