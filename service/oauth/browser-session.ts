import { codePointLength, MAX_LOGIN } from "../../contract/limits.js";
import type { ExceededLimit } from "../concurrency-limit.js";
import { OAUTH_PATH } from "../http/router.js";
import { createSecret, csrfToken, passwordProblem, sameSecret, verifyPassword } from "../secrets.js";
import { countAttempt, findWait, recordSignIn, scopeOfAttempt } from "../store/sign-in-attempts.js";
import type { Transaction } from "../store/store.js";
import {
  deleteSession,
  findSessionUser,
  findUserByLogin,
  insertSession,
  type SignedInUser,
} from "../store/users.js";
import type { OAuthContext } from "./context.js";
import type { Notice } from "./pages/sign-in-page.js";

/** The session of a browser at the authorization server, signed in or not. */
export interface BrowserSession {
  /** Value of the cookie. Before the user signs in, it only ties forms to the browser. */
  readonly secret: string;
  /** Whether the browser does not have the cookie yet. */
  readonly isNew: boolean;
  /** Null: not signed in. */
  readonly user: SignedInUser | null;
}

const COOKIE = "calctl_session";

/** The session that the cookie of a request belongs to, or a new one. */
export async function findBrowserSession({ request, store, now }: OAuthContext): Promise<BrowserSession> {
  const secret = readCookie(request.headers["cookie"]);
  if (secret === undefined) return newBrowserSession();
  const user = await store.read((db) => findSessionUser(db, secret, now));
  return { secret, isNew: false, user: user ?? null };
}

/** A new session, not signed in. */
export function newBrowserSession(): BrowserSession {
  return { secret: createSecret(), isNew: true, user: null };
}

/** Whether a form was rendered for this browser: its CSRF token belongs to the session. */
export function hasValidCsrfToken({ secret, isNew }: BrowserSession, token: string | undefined): boolean {
  return !isNew && token !== undefined && sameSecret(token, csrfToken(secret));
}

/** Ignores a cookie that was sent twice: another site may have set one to sign the user in to its own account. */
function readCookie(header: string | undefined): string | undefined {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim().split("="));
  const [own, ...others] = pairs.filter(([name]) => name === COOKIE);
  const value = others.length === 0 ? own?.[1] : undefined;
  return value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
}

/**
 * The Set-Cookie header of a session. The cookie's path is the authorization endpoint: cookies are not bound to a port,
 * so other servers on this host would receive it otherwise. @see RFC 6265 §8.5
 */
export function formatCookie(secret: string, baseUrl: string | undefined): string {
  const url = baseUrl === undefined ? undefined : new URL(baseUrl);
  const path = `${(url?.pathname ?? "").replace(/\/$/, "")}${OAUTH_PATH}/authorize`;
  const secure = url?.protocol === "https:" ? "; Secure" : "";
  return `${COOKIE}=${secret}; Path=${path}; HttpOnly; SameSite=Lax${secure}`;
}

interface Credentials {
  readonly login: string;
  readonly password: string;
}

/**
 * Verifies login and password and replaces the browser's session by a new one. The result and the time it takes do not
 * reveal whether a login exists, has a password or is disabled.
 * @returns the secret of the new session, or why there is none
 */
export async function signIn(
  context: OAuthContext,
  session: BrowserSession,
  credentials: Credentials,
): Promise<{ readonly secret: string } | Notice> {
  const { passwordQueue, source } = context;
  // Nobody has these, and comparing them could take long. They say nothing about who has a login.
  const { login, password } = credentials;
  if (codePointLength(login) > MAX_LOGIN || login.includes("\0")) return WRONG_CREDENTIALS;
  if (passwordProblem(password) !== null) return WRONG_CREDENTIALS;
  // Attempts are counted inside the queue: a request that it refuses costs no write.
  const result = await passwordQueue.run(source.address, () => replaceSession(context, session, credentials));
  return typeof result === "string" ? QUEUE_FULL[result] : result;
}

async function replaceSession(
  { store, source, now, passwordCost }: OAuthContext,
  session: BrowserSession,
  { login, password }: Credentials,
): ReturnType<typeof signIn> {
  const attempt = { address: source.address, login, now };
  const scope = scopeOfAttempt(attempt);
  // What is refused must not wait for the database to be writable.
  const wait =
    (await store.read((db) => findWait(db, attempt))) ??
    (await store.write((db) => countAttempt(db, attempt), { scope }));
  if (wait !== null) return tooMany(wait);
  const user = await store.read((db) => findUserByLogin(db, login));
  const matches = await verifyPassword(password, user?.password_hash, passwordCost);
  if (!matches || user === undefined || user.disabled === 1) return WRONG_CREDENTIALS;
  const secret = createSecret();
  const replace = async (db: Transaction) => {
    // The password may have changed, or the user may have been disabled, during verification.
    const current = await findUserByLogin(db, login);
    if (current?.password_hash !== user.password_hash || current.disabled === 1) return false;
    await recordSignIn(db, attempt);
    await deleteSession(db, session.secret);
    await insertSession(db, { secret, userId: user.id, now });
    return true;
  };
  const created = await store.write(replace, { scope });
  return created ? { secret } : WRONG_CREDENTIALS;
}

const WRONG_CREDENTIALS: Notice = { status: 403, text: "The login or the password is wrong." };

const QUEUE_FULL: Readonly<Record<ExceededLimit, Notice>> = {
  client: {
    status: 429,
    text: "Too many attempts to sign in at the same time. Please try again.",
    retryAfter: 1,
  },
  total: {
    status: 503,
    text: "Too many people are signing in at the moment. Please try again in a few seconds.",
    retryAfter: 2,
  },
};

function tooMany(seconds: number): Notice {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  const text = `Too many attempts to sign in. Please try again in ${wait}.`;
  return { status: 429, text, retryAfter: seconds };
}
