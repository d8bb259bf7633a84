import { createSessionSecret, csrfToken, sameSecret } from "../secrets.js";
import { findSessionUser, type SignedInUser } from "../store/sessions.js";
import { OAUTH_PATH, type OAuthContext } from "./endpoint.js";

/** A browser at the pages of the authorization server. */
export interface Visit {
  /** What its cookie holds: a session's secret, or before signing in a value that only ties the form to the browser. */
  readonly secret: string;
  /** The browser does not have the cookie yet. */
  readonly isNew: boolean;
  /** Null: not signed in. */
  readonly user: SignedInUser | null;
}

const COOKIE = "calctl_session";

/** Recognises a browser by its cookie. */
export async function recogniseVisit({ request, store, now }: OAuthContext): Promise<Visit> {
  const secret = readCookie(request.headers["cookie"]);
  if (secret === undefined) return createVisit();
  const user = await store.read((db) => findSessionUser(db, secret, now));
  return { secret, isNew: false, user: user ?? null };
}

/** A browser that is not known yet, or shall no longer be. */
export function createVisit(): Visit {
  return { secret: createSessionSecret(), isNew: true, user: null };
}

/** Whether a form comes from a page that was made for this browser. */
export function isOwnForm({ secret, isNew }: Visit, token: string | undefined): boolean {
  return !isNew && token !== undefined && sameSecret(token, csrfToken(secret));
}

/** A name that is there twice was set by somebody else too, who would sign the browser in as another user. */
function readCookie(header: string | undefined): string | undefined {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim().split("="));
  const [own, ...others] = pairs.filter(([name]) => name === COOKIE);
  const value = others.length === 0 ? own?.[1] : undefined;
  return value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
}

/**
 * The cookie of a browser. It goes to the authorization page alone: cookies know no ports, so whatever else listens on
 * this host would see it otherwise. @see RFC 6265 §8.5
 */
export function formatCookie(secret: string, baseUrl: string | undefined): string {
  const url = baseUrl === undefined ? undefined : new URL(baseUrl);
  const path = `${(url?.pathname ?? "").replace(/\/$/, "")}${OAUTH_PATH}/authorize`;
  const secure = url?.protocol === "https:" ? "; Secure" : "";
  return `${COOKIE}=${secret}; Path=${path}; HttpOnly; SameSite=Lax${secure}`;
}
