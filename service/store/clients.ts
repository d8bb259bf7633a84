import { DAY_MS } from "../../contract/date-time.js";
import { AUTHORIZATION_CODE_SECONDS } from "../../contract/limits.js";
import { hashSecret } from "../secrets.js";
import type { AuthorizationCodeRow, ClientRow } from "./schema.js";
import { insert } from "./sql.js";
import type { Transaction } from "./store.js";

/** The clients that an operator registered, oldest first. The public client is none of them, and alone has no secret. */
export function listRegisteredClients(db: Transaction): Promise<ClientRow[]> {
  return db.all(
    `select id, name, client_id, secret_hash, created_at from clients
    where secret_hash <> ''
    order by created_at, id`,
  );
}

/** The registered client with a client id; undefined if there is none. */
export async function findRegisteredClient(
  db: Transaction,
  clientId: string,
): Promise<ClientRow | undefined> {
  const [client] = await db.all<ClientRow>(
    `select id, name, client_id, secret_hash, created_at from clients
    where secret_hash <> '' and client_id = ?`,
    clientId,
  );
  return client;
}

/** Inserts a client unless it is there. */
export async function ensureClient(db: Transaction, client: ClientRow): Promise<void> {
  const { id, name, client_id, secret_hash, created_at } = client;
  await db.run(
    `insert into clients (id, name, client_id, secret_hash, created_at) values (?, ?, ?, ?, ?)
    on conflict (id) do nothing`,
    id,
    name,
    client_id,
    secret_hash,
    created_at,
  );
}

/** The redirect URIs of a client in the order of registration. @param client `id` of the client */
export async function listRedirectUris(db: Transaction, client: string): Promise<string[]> {
  const rows = await db.all<{ readonly uri: string }>(
    "select uri from redirect_uris where client = ? order by position",
    client,
  );
  return rows.map(({ uri }) => uri);
}

/** The redirect URIs of every client, by its `id`, each in the order of registration. */
export async function listAllRedirectUris(db: Transaction): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db.all<{ readonly client: string; readonly uri: string }>(
    "select client, uri from redirect_uris order by client, position",
  );
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
  await db.run("delete from authorization_codes where expires_at <= ?", now - EXPIRED_CODE_RETENTION);
  const expires_at = now + AUTHORIZATION_CODE_SECONDS * 1000;
  const stored = { ...row, hash: hashSecret(code), expires_at, used: 0, token_id: null } as const;
  await insert(db, "authorization_codes", [stored]);
}

/** What a code was issued for. */
export type RedeemedCode = Omit<NewAuthorizationCode, "client">;

/**
 * Redeems a code: marks it as used and returns it. One conditional update, so only one of several requests succeeds.
 * Undefined if the client has no such code, or if it was used or has expired.
 */
export async function redeemCode(
  db: Transaction,
  client: string,
  { code, now }: CodeOptions,
): Promise<RedeemedCode | undefined> {
  const [redeemed] = await db.all<RedeemedCode>(
    `update authorization_codes set used = 1
    where hash = ? and client = ? and used = 0 and expires_at > ?
    returning user_id, redirect_uri, code_challenge, code_challenge_method`,
    hashSecret(code),
    client,
    now,
  );
  return redeemed;
}

/** Stores which token a code was redeemed for. */
export async function setTokenOfCode(db: Transaction, code: string, tokenId: string): Promise<void> {
  await db.run("update authorization_codes set token_id = ? where hash = ?", tokenId, hashSecret(code));
}

/** Revokes the token of a code that is presented again: the code may have been stolen. @see RFC 6749 §4.1.2 */
export async function revokeTokenOfCode(db: Transaction, client: string, code: string): Promise<void> {
  await db.run(
    `delete from tokens where id in (
      select token_id from authorization_codes where hash = ? and client = ?)`,
    hashSecret(code),
    client,
  );
}
