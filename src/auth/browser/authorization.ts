import { randomBytes } from "node:crypto";
import type { Transport } from "../../api/transport.js";
import type { RedirectTarget } from "../../config/urls.js";
import { OAUTH_ROUTES } from "../../contract/oauth.js";
import type { User } from "../../contract/shapes.js";
import { CliError } from "../../errors.js";
import type { Redactor } from "../../terminal/redaction.js";
import { type CallbackListener, listenForCallback } from "./callback-listener.js";
import { outcomePage } from "./callback-page.js";
import { watchPasted } from "./pasted-response.js";
import { createPkce, SECRET_BYTES } from "./pkce.js";
import { authorizationError, endpointAddress, redeemCode } from "./token-client.js";

export interface AuthorizationOptions {
  /** Without a trailing slash. */
  readonly authUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirect: RedirectTarget;
  /** Longest time until the browser is back, in seconds. */
  readonly timeout: number;
  /** Name of the profile that the token is stored for. */
  readonly profile: string;
}

/** What an authorization needs of the program around it. */
export interface AuthorizationParts {
  readonly transport: Transport;
  /** Called with the address to sign in at, before any browser is opened, and the port that listens (null without one). */
  readonly showAddress: (url: string, port: number | null) => void;
  /** Null when no browser is to be opened. A failure does not end the sign-in: the address has been shown. */
  readonly openBrowser: ((url: string, signal: AbortSignal) => Promise<void>) | null;
  /** Lines that a person types or pastes; null without a terminal. Ends when the signal aborts. */
  readonly pastedLines: ((signal: AbortSignal) => AsyncIterable<string>) | null;
  /** A line for the person who signs in. */
  readonly tell: (text: string) => void;
  /** Learns each secret of the attempt; the state only after the address that carries it was shown. */
  readonly redactor: Redactor;
  /** Aborts with the error to end with. */
  readonly signal: AbortSignal;
  /** Verifies and stores the token. The browser shows what it throws. */
  readonly accept: (token: string) => Promise<User>;
}

/**
 * Signs in by authorization code with PKCE and state in the user's own browser, and stores the token.
 * @returns the user that `accept` gave
 * @throws CliError not_signed_in when declined, refused or never completed, and what `accept` throws
 * @see RFC 6749 §4.1, RFC 7636, RFC 8252
 */
export async function authorize(options: AuthorizationOptions, parts: AuthorizationParts): Promise<User> {
  const { redirect, profile } = options;
  const { redactor, signal } = parts;
  const { verifier, challenge } = createPkce(randomBytes(SECRET_BYTES));
  const state = randomBytes(SECRET_BYTES).toString("base64url");
  const expected = { state, issuerOrigin: options.authUrl.origin };
  const listener = await listenForCallback({
    target: redirect,
    expected,
    onUnusable: (problem) =>
      parts.tell(`the answer of the authorization server cannot be used: ${problem}; still waiting`),
  });
  const waiting = new AbortController();
  try {
    signal.throwIfAborted();
    const { redirectUri } = listener;
    const url = authorizationUrl(options, { redirectUri, state, challenge });
    parts.showAddress(url, redirect.hosts.length === 0 ? null : portOf(redirectUri));
    redactor.add(state);
    redactor.add(verifier);
    openQuietly(parts, url, waiting.signal);
    const pasted = watchPasted(parts, { ...expected, redirectUri }, waiting.signal);
    const candidates = redirect.hosts.length === 0 ? [pasted] : [listener.response, pasted];
    const response = await withinTime(candidates, options.timeout, parts);
    waiting.abort();
    return await showOutcome(listener, { profile, mask: redactor.mask }, async () => {
      if (response.kind === "error") throw authorizationError(response.error, response.description);
      const { code } = response;
      redactor.add(code);
      const redemption = { ...options, redirectUri, code, codeVerifier: verifier };
      return parts.accept(await redeemCode(redemption, parts.transport, signal));
    });
  } finally {
    waiting.abort();
    await listener.close();
  }
}

/** Completes the sign-in, and shows the browser how it ended in any case. */
async function showOutcome(
  listener: CallbackListener,
  { profile, mask }: { readonly profile: string; readonly mask: (text: string) => string },
  complete: () => Promise<User>,
): Promise<User> {
  try {
    const user = await complete();
    await listener.answer(outcomePage({ signedIn: true, userName: user.name ?? user.id, profile }));
    return user;
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
  { openBrowser, tell }: Pick<AuthorizationParts, "openBrowser" | "tell">,
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
  { signal, pastedLines }: Pick<AuthorizationParts, "signal" | "pastedLines">,
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
