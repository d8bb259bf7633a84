import { calendarIdOf } from "./http/router.js";
import type { IncomingRequest, RequestSource } from "./request.js";
import { hashSecret } from "./secrets.js";
import { type Access, type Credential, findAccess } from "./store/access.js";
import type { Engine, Store, Transaction } from "./store/store.js";

export interface Caller {
  /** Null: not authenticated. */
  readonly access: Access | null;
  /** What the rate limit counts: token and address, or only the address without a valid token. */
  readonly rateLimitKey: string;
}

/**
 * Identifies the caller: over a socket by the Bearer token of a header, in-process by the source, whatever the headers say.
 * @see RFC 6750 §2.1, contract section 5
 */
export function createAuthentication(store: Store) {
  return async (
    source: RequestSource,
    { target }: Pick<IncomingRequest, "target">,
    authorization: string | undefined,
  ): Promise<Caller> => {
    const find = async (credential: Credential, asking?: string) => {
      const options = { client: asking, isOneQuery: true };
      return (await store.read((db) => findAccess(db, credential, calendarIdOf(target)), options)) ?? null;
    };
    if (source.kind === "local") {
      return { access: await find({ userId: source.userId }), rateLimitKey: `user ${source.userId}` };
    }
    const { tokenHash: hash = hashBearerToken(authorization) } = source;
    const address = `address ${source.address}`;
    const access = hash === null ? null : await find({ hash }, hash);
    return { access, rateLimitKey: access === null ? address : `token ${access.tokenId} ${source.address}` };
  };
}

/** The hash under which the token of an `Authorization` header is stored; null if it has none. @see RFC 6750 §2.1 */
export function hashBearerToken(authorization: string | undefined): string | null {
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization ?? "")?.[1];
  return token === undefined ? null : hashSecret(token);
}

/**
 * Finds the access of a write once more, in its transaction: the body may have come long after the head.
 * @returns undefined if the token was revoked, or its user disabled; neither can happen from now on until the transaction ends
 */
export async function findAccessAgain(
  db: Transaction,
  { credential, calendarId }: Access,
  engine: Engine,
): Promise<Access | undefined> {
  // The disabling of a user waits until all writes have ended, but a code that is redeemed again revokes its token at any time.
  // Other writes may hold this lock too.
  if (engine === "postgres" && "hash" in credential)
    await db.all("select id from tokens where hash = ? for key share", credential.hash);
  return findAccess(db, credential, calendarId);
}
