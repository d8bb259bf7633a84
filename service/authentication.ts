import { createQueryCache } from "./query-cache.js";
import type { RequestSource } from "./request.js";
import { hashSecret } from "./secrets.js";
import { compileOnce, type Placeholders } from "./store/compiled-query.js";
import type { TokenRow } from "./store/schema.js";
import type { Engine, Store, Transaction } from "./store/store.js";

/** An authenticated user. */
export interface Principal {
  readonly userId: string;
  readonly readOnly: boolean;
  /** Hash of the token; null for a caller of this process, which has none. */
  readonly tokenHash: string | null;
}

export interface Caller {
  /** Null: not authenticated. */
  readonly principal: Principal | null;
  /** What the rate limit counts: token and address, or only the address without a valid token. */
  readonly rateLimitKey: string;
}

/**
 * Identifies the caller: over a socket by the Bearer token, in-process by the source, whatever the headers say.
 * @see RFC 6750 §2.1, contract section 5
 */
export type IdentifyCaller = (source: RequestSource, credentials: Credentials) => Promise<Caller>;

export interface Credentials {
  readonly authorization: string | undefined;
  /** When the request was received (`performance.now()`, or `JUST_NOW`). */
  readonly received: number;
  /** Key by which requests are scheduled, from `TurnKeys`; the address by default. */
  readonly client?: string | undefined;
}

/** Tokens whose users are cached. */
const MAX_TOKENS = 4096;

/**
 * Refused tokens have a cache of their own, so that guessed ones do not displace valid ones. On PostgreSQL, where only a query
 * could tell whether anything changed, a refusal is remembered for `maxAge` (ms): so long may a user who was enabled again be
 * refused.
 */
const REFUSED = { maxTokens: 4096, maxAge: 1_000 };

/** @param clock milliseconds that only grow */
export function createAuthentication(store: Store, clock?: () => number): IdentifyCaller {
  const principals = createQueryCache<PrincipalOfToken>(store, { maxEntries: MAX_TOKENS });
  const refused = createQueryCache<true>(store, {
    maxEntries: REFUSED.maxTokens,
    maxAge: REFUSED.maxAge,
    clock,
  });
  const findPrincipal = async (hash: string, received: number, client: string) => {
    const cached = principals.lookUp(hash, received);
    if (cached.value !== undefined) return cached.value;
    const refusal = refused.lookUp(hash, received);
    if (refusal.value !== undefined) return undefined;
    const principal = await principalOfToken(store, hash, client);
    if (principal === undefined) refusal.set(true);
    else cached.set(principal);
    return principal;
  };
  return async (source, { authorization, received, client }) => {
    if (source.kind === "local") {
      const principal = await principalOfUser(store, source.userId);
      return { principal, rateLimitKey: `user ${source.userId}` };
    }
    const { tokenHash: hash = hashBearerToken(authorization) } = source;
    const address = `address ${source.address}`;
    const principal = hash === null ? undefined : await findPrincipal(hash, received, client ?? address);
    if (principal === undefined) return { principal: null, rateLimitKey: address };
    return { principal, rateLimitKey: `token ${principal.tokenId} ${source.address}` };
  };
}

/** The hash under which the token of an `Authorization` header is stored; null if it has none. @see RFC 6750 §2.1 */
export function hashBearerToken(authorization: string | undefined): string | null {
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization ?? "")?.[1];
  return token === undefined ? null : hashSecret(token);
}

async function principalOfUser(store: Store, userId: string): Promise<Principal | null> {
  const user = await store.read((db) =>
    db.selectFrom("users").select("id").where("id", "=", userId).where("disabled", "=", 0).executeTakeFirst(),
  );
  return user === undefined ? null : { userId: user.id, readOnly: false, tokenHash: null };
}

interface PrincipalOfToken extends Principal {
  readonly tokenId: string;
}

async function principalOfToken(
  store: Store,
  hash: string,
  client: string,
): Promise<PrincipalOfToken | undefined> {
  const [row] = await store.read((db) => selectToken(db, { hash }), { client });
  return row && { tokenId: row.id, ...principalOf(row) };
}

/**
 * Identifies the caller of a write once more, in its transaction: the body may have come long after the head.
 * @returns null if the token was revoked, or its user disabled; neither can happen from now on until the transaction ends
 */
export async function identifyAgain(
  db: Transaction,
  principal: Principal | null,
  engine: Engine,
): Promise<Principal | null> {
  const hash = principal?.tokenHash;
  if (hash === undefined || hash === null) return principal;
  const [row] = await (engine === "postgres" ? lockToken : selectToken)(db, { hash });
  return row === undefined ? null : principalOf(row);
}

function principalOf({ user_id, read_only, hash }: Omit<FoundToken, "id">): Principal {
  return { userId: user_id, readOnly: read_only === 1, tokenHash: hash };
}

type FoundToken = Pick<TokenRow, "id" | "user_id" | "read_only" | "hash">;
type TokenTerms = Placeholders<Pick<TokenRow, "hash">>;

const selectToken = compileOnce((db, { hash }: TokenTerms) => tokenOfHash(db, hash));

// The disabling of a user waits until all writes have ended, but a code that is redeemed again revokes its token at any time.
// Other writes may hold this lock too.
const lockToken = compileOnce((db, { hash }: TokenTerms) => tokenOfHash(db, hash).forKeyShare("tokens"));

function tokenOfHash(db: Transaction, hash: TokenTerms["hash"]) {
  return db
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .select(["tokens.id", "tokens.user_id", "tokens.read_only", "tokens.hash"])
    .where("tokens.hash", "=", hash)
    .where("users.disabled", "=", 0);
}
