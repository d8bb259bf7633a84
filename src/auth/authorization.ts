import { randomBytes } from "node:crypto";
import type { Transport } from "../api/transport/transport.js";
import type { RedirectTarget } from "../config/redirect-uri.js";
import { OAUTH_ROUTES } from "../contract/oauth.js";
import { CliError } from "../errors.js";
import type { AuthorizationResponse } from "./authorization-response.js";
import { type CallbackListener, listenForCallback } from "./callback-listener.js";
import { outcomePage } from "./callback-page.js";
import { endpointAddress } from "./endpoint.js";
import { watchPasted } from "./pasted-response.js";
import { createPkce, SECRET_BYTES } from "./pkce.js";
import { authorizationError, exchangeCode } from "./token-client.js";

export interface AuthorizationOptions {
  /** Without a trailing slash. */
  readonly authUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirect: RedirectTarget;
  /** Longest time until the browser is back, in seconds. */
  readonly timeout: number;
  /** Name of the profile that will keep the token. */
  readonly profile: string;
}

/** What a sign-in needs of the world. */
export interface AuthorizationParts<T extends KeptToken> {
  readonly transport: Transport;
  /** Told the address to sign in at, before any browser is opened, and the port that waits (null without one). */
  readonly showAddress: (url: string, port: number | null) => void;
  /** Null where none is to be opened. Its failure is no reason to end: the address has been shown. */
  readonly openBrowser: ((url: string, signal: AbortSignal) => Promise<void>) | null;
  /** Lines that a person types or pastes; null without a terminal. Ends when the signal aborts. */
  readonly pastedLines: ((signal: AbortSignal) => AsyncIterable<string>) | null;
  /** A line for the person who signs in. */
  readonly tell: (text: string) => void;
  /** Told each secret of the attempt once it is one: the state only after the address that carries it was shown. */
  readonly onSecret: (value: string) => void;
  /** Takes those secrets out of a text that others had a hand in. */
  readonly mask: (text: string) => string;
  /** Aborts with the error to end with. */
  readonly signal: AbortSignal;
  /** Checks and keeps the token; what it throws is what the browser is told too. */
  readonly keep: (token: string) => Promise<T>;
}

/** What the browser is told of a token that is kept. */
export interface KeptToken {
  readonly userName: string;
}

/**
 * Signs in by authorization code with PKCE and state in the user's own browser, and keeps the token.
 * @returns what `keep` gave
 * @throws CliError not_signed_in when declined, refused or never completed, and what `keep` throws
 * @see RFC 6749 §4.1, RFC 7636, RFC 8252
 */
export async function authorize<T extends KeptToken>(
  options: AuthorizationOptions,
  parts: AuthorizationParts<T>,
): Promise<T> {
  const { verifier, challenge } = createPkce(randomBytes(SECRET_BYTES));
  const state = randomBytes(SECRET_BYTES).toString("base64url");
  const expected = { state, issuerOrigin: options.authUrl.origin };
  const listener = await listenForCallback({
    target: options.redirect,
    expected,
    onUnusable: (problem) =>
      parts.tell(`the answer of the authorization server cannot be used: ${problem}; still waiting`),
  });
  const waiting = new AbortController();
  try {
    parts.signal.throwIfAborted();
    const url = authorizationUrl(options, { redirectUri: listener.redirectUri, state, challenge });
    parts.showAddress(url, options.redirect.hosts.length === 0 ? null : portOf(listener.redirectUri));
    parts.onSecret(state);
    parts.onSecret(verifier);
    openQuietly(parts, url, waiting.signal);
    const pasted = watchPasted(parts, { ...expected, redirectUri: listener.redirectUri }, waiting.signal);
    const candidates = options.redirect.hosts.length === 0 ? [pasted] : [listener.response, pasted];
    const response = await withinTime(candidates, options.timeout, parts);
    waiting.abort();
    const ending: Ending = { listener, profile: options.profile, mask: parts.mask };
    return await finish(response, ending, (code) =>
      redeem({ ...options, redirectUri: listener.redirectUri, code, codeVerifier: verifier }, parts),
    );
  } finally {
    waiting.abort();
    await listener.close();
  }
}

async function redeem<T extends KeptToken>(
  exchange: AuthorizationOptions & {
    readonly redirectUri: string;
    readonly code: string;
    readonly codeVerifier: string;
  },
  { transport, signal, keep, onSecret }: AuthorizationParts<T>,
): Promise<T> {
  onSecret(exchange.code);
  return keep(await exchangeCode(exchange, transport, signal));
}

interface Ending {
  readonly listener: CallbackListener;
  readonly profile: string;
  readonly mask: (text: string) => string;
}

/** Tells the browser how it ended, in any case. */
async function finish<T extends KeptToken>(
  response: AuthorizationResponse,
  { listener, profile, mask }: Ending,
  complete: (code: string) => Promise<T>,
): Promise<T> {
  try {
    if (response.kind === "error") throw authorizationError(response.error, response.description);
    const kept = await complete(response.code);
    await listener.answer(outcomePage({ signedIn: true, userName: kept.userName, profile }));
    return kept;
  } catch (error) {
    const reason = error instanceof CliError ? error.message : "calctl failed: the terminal says how";
    await listener.answer(outcomePage({ signedIn: false, reason: mask(reason) }));
    throw error;
  }
}

interface AuthorizationQuery {
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string;
}

/** @see RFC 6749 §4.1.1, RFC 7636 §4.3 */
function authorizationUrl(
  { authUrl, clientId }: AuthorizationOptions,
  { redirectUri, state, challenge }: AuthorizationQuery,
): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  return `${endpointAddress(authUrl, OAUTH_ROUTES.authorize)}?${query}`;
}

/** Nothing waits for the browser: some never report back. */
function openQuietly(
  { openBrowser, tell }: Pick<AuthorizationParts<KeptToken>, "openBrowser" | "tell">,
  url: string,
  signal: AbortSignal,
): void {
  openBrowser?.(url, signal).catch(() => {
    if (!signal.aborted) tell("no browser could be opened: open the address above by hand");
  });
}

/** @throws CliError not_signed_in when the time is over, and the signal's reason */
async function withinTime<T>(
  candidates: readonly Promise<T>[],
  seconds: number,
  { signal, pastedLines }: Pick<AuthorizationParts<KeptToken>, "signal" | "pastedLines">,
): Promise<T> {
  let stop: () => void = () => undefined;
  const end = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(timedOut(seconds, pastedLines !== null)), seconds * 1000);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([...candidates, end]);
  } finally {
    stop();
  }
}

function timedOut(seconds: number, canPaste: boolean): CliError {
  const paste = canPaste ? "paste the address it shows, or " : "";
  return new CliError(
    "not_signed_in",
    `nobody signed in within ${seconds} ${seconds === 1 ? "second" : "seconds"}`,
    {
      hint: `run calctl login again, with --login-timeout for more time; if the browser never came back, ${paste}use --with-token`,
    },
  );
}

function portOf(redirectUri: string): number {
  return Number(new URL(redirectUri).port) || 80;
}
