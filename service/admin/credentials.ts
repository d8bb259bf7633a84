import { formatWireDateTime } from "../../contract/date-time.js";
import { MAX_URL } from "../../contract/limits.js";
import { isLoopback, parseUrl } from "../../contract/url.js";
import { CliError, usageError } from "../../src/errors.js";
import { createSecret, createShortId, createToken, hashSecret } from "../secrets.js";
import { listAllRedirectUris, listRedirectUris, listRegisteredClients } from "../store/clients.js";
import type { ClientRow, TokenRow } from "../store/schema.js";
import { insert } from "../store/sql.js";
import { creationTime, type Transaction } from "../store/store.js";
import { type AdminOptions, checkName, checkText, resolveUser } from "./input.js";

export interface ServiceClient {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  /** Only present when the client was just created. */
  readonly client_secret?: string | undefined;
  readonly redirect_uris: readonly string[];
}

export interface ServiceToken {
  readonly id: string;
  readonly user_id: string;
  readonly read_only: boolean;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly created_at: string;
  /** Only present when the token was just created. */
  readonly token?: string | undefined;
}

export function createClientAdmin({ store, now }: AdminOptions) {
  return {
    async add({ name, redirectUris }: Omit<NewClient, "now">) {
      checkName(name);
      if (redirectUris.length === 0) throw usageError("a client needs a redirect URI", "give --redirect-uri");
      for (const uri of redirectUris) checkRedirectUri(uri);
      return store.write((db) => addClient(db, { name, redirectUris, now: now() }));
    },
    list: () =>
      store.read(async (db) => {
        const rows = await listRegisteredClients(db);
        const uris = await listAllRedirectUris(db);
        return rows.map((row) => describeClient(row, uris.get(row.id) ?? []));
      }),
    /** Also revokes the tokens that were issued to the client. */
    remove: (id: string) =>
      store.write(async (db) => {
        const redirectUris = await listRedirectUris(db, id);
        const [row] = await db.all<StoredClient>(
          "delete from clients where id = ? and secret_hash <> '' returning id, name, client_id",
          id,
        );
        if (row === undefined) {
          throw new CliError("not_found", `there is no client "${id}"`, {
            hint: "calctl service clients list shows the ids",
          });
        }
        return describeClient(row, redirectUris);
      }),
  };
}

export interface NewClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Adds a client. The result has its secret, of which only the hash is stored. */
export async function addClient(
  db: Transaction,
  { name, redirectUris, now }: NewClient,
): Promise<ServiceClient & { readonly client_secret: string }> {
  const client_secret = createSecret();
  const [id, client_id] = [createShortId(), createShortId()];
  const created_at = await creationTime(db, "clients", now);
  await insert(db, "clients", [{ id, name, client_id, secret_hash: hashSecret(client_secret), created_at }]);
  const uris = redirectUris.map((uri, position) => ({ client: id, position, uri }));
  await insert(db, "redirect_uris", uris);
  return { id, name, client_id, redirect_uris: redirectUris, client_secret };
}

type StoredClient = Pick<ClientRow, "id" | "name" | "client_id">;

function describeClient(
  { id, name, client_id }: StoredClient,
  redirectUris: readonly string[],
): ServiceClient {
  return { id, name, client_id, redirect_uris: redirectUris };
}

/**
 * @throws CliError usage when the URI is too long, is not absolute, has a fragment, or uses http to another machine
 * @see RFC 6749 §3.1.2, RFC 8252 §7
 */
function checkRedirectUri(uri: string): void {
  const invalid = (problem: string) =>
    usageError(
      `the redirect URI "${uri}" ${problem}`,
      "write an absolute URI such as http://127.0.0.1/callback or https://…",
    );
  checkText(uri, "redirect URI", MAX_URL);
  // A URL parser would correct these; the Location header would not.
  if (!/^[\x21-\x7e]*$/.test(uri)) throw invalid("has characters that must be percent-encoded");
  const url = parseUrl(uri);
  if (url === null) throw invalid("is not absolute");
  if (uri.includes("#")) throw invalid("has a fragment");
  const { protocol, hostname } = url;
  if (protocol === "http:" && !isLoopback(hostname)) throw invalid("is not https");
  if (/^https?:\/\/(?:\[[^\]]*\]|[^/?:]*):0/i.test(uri)) throw invalid("has a port that begins with 0");
  // Private-use schemes are reversed domain names. Others, such as javascript: and data:, run in the browser.
  if (!["http:", "https:"].includes(protocol) && !protocol.includes(".")) {
    throw invalid("has a scheme that no app can register");
  }
}

export function createTokenAdmin({ store, now }: AdminOptions) {
  return {
    create: ({ user, readOnly }: { readonly user: string; readonly readOnly: boolean }) =>
      store.write(async (db) => {
        const { id: userId, name, disabled } = await resolveUser(db, user, "--user");
        if (disabled === 1) {
          throw usageError(`--user: "${name}" is disabled`, "a disabled user's token would be rejected");
        }
        return addToken(db, { userId, readOnly, now: now() });
      }),
    list: () =>
      store.read(async (db) => {
        const rows = await db.all<StoredToken>(
          "select id, user_id, read_only, created_at from tokens order by created_at, id",
        );
        return rows.map(describeToken);
      }),
    revoke: (id: string) =>
      store.write(async (db) => {
        const [row] = await db.all<StoredToken>(
          "delete from tokens where id = ? returning id, user_id, read_only, created_at",
          id,
        );
        if (row === undefined) {
          throw new CliError("not_found", `there is no token "${id}"`, {
            hint: "calctl service tokens list shows the ids",
          });
        }
        return describeToken(row);
      }),
    /** Revokes every token of a user. Resolves with the user's name and how many there were. */
    revokeAll: (user: string) =>
      store.write(async (db) => {
        const { id, name } = await resolveUser(db, user, "--user");
        return { name, tokens: await db.run("delete from tokens where user_id = ?", id) };
      }),
  };
}

export interface NewToken {
  readonly userId: string;
  readonly readOnly: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `id` of the client that it is issued to; removing the client revokes it. */
  readonly client?: string;
}

/** Adds a token. The result has the token itself, of which only the hash is stored. */
export async function addToken(
  db: Transaction,
  { userId, readOnly, now, client }: NewToken,
): Promise<ServiceToken & { readonly token: string }> {
  const token = createToken();
  const row: TokenRow = {
    id: createShortId(),
    user_id: userId,
    hash: hashSecret(token),
    read_only: readOnly ? 1 : 0,
    created_at: await creationTime(db, "tokens", now),
    client: client ?? null,
  };
  await insert(db, "tokens", [row]);
  return { ...describeToken(row), token };
}

type StoredToken = Pick<TokenRow, "id" | "user_id" | "read_only" | "created_at">;

function describeToken({ id, user_id, read_only, created_at }: StoredToken): ServiceToken {
  return { id, user_id, read_only: read_only === 1, created_at: formatWireDateTime(created_at) };
}
