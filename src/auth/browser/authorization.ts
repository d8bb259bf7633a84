import { createHash, randomBytes } from "node:crypto";
import { OAUTH_ROUTES } from "../../../contract/oauth.js";
import type { User } from "../../../contract/shapes.js";
import type { Transport } from "../../api/transport.js";
import type { RedirectTarget } from "../../config/profile-values.js";
import { CliError } from "../../errors.js";
import type { Redactor } from "../../terminal/redaction.js";
import { readPastedResponse } from "./authorization-response.js";
import { type CallbackListener, failurePage, listenForCallback, signedInPage } from "./callback-listener.js";
import { authorizationError, redeemCode } from "./token-client.js";

/** The endpoints of an authorization server. */
export interface SignInEndpoints {
  readonly authorize: URL;
  readonly token: URL;
}

export interface AuthorizationOptions {
  /** The address below which the server has the contract's paths, without a trailing slash; or its endpoints. */
  readonly authServer: URL | SignInEndpoints;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  readonly redirect: RedirectTarget;
  /** For the user to sign in, in seconds. */
  readonly timeout: number;
  /** The profile that the token is stored for. */
  readonly profile: string;
}

export interface AuthorizationDependencies {
  readonly transport: Transport;
  /** Called before a browser is opened, with the address to sign in at and the listening port (null without one). */
  readonly showAddress: (url: string, port: number | null) => void;
  /** Null to open no browser. A failure does not end the sign-in: the user can open the address. */
  readonly openBrowser: ((url: string, signal: AbortSignal) => Promise<void>) | null;
  /** Lines that the user types or pastes, until the signal aborts; null without a terminal. */
  readonly pastedLines: ((signal: AbortSignal) => AsyncIterable<string>) | null;
  readonly warn: (text: string) => void;
  readonly redactor: Redactor;
  /** Its reason is the error to throw. */
  readonly signal: AbortSignal;
  /** Verifies and stores the token. What it throws is shown in the browser. */
  readonly accept: (token: string) => Promise<User>;
}

/**
 * Signs in with authorization code, PKCE and state in the user's browser, and stores the token.
 * @returns the user that `accept` returned
 * @throws CliError not_signed_in when declined, refused or timed out, and what `accept` throws
 * @see RFC 6749 §4.1, RFC 7636, RFC 8252
 */
export async function authorize(
  options: AuthorizationOptions,
  dependencies: AuthorizationDependencies,
): Promise<User> {
  const { redirect, profile } = options;
  const { redactor, signal, warn } = dependencies;
  const [state, verifier] = [createSecret(), createSecret()];
  // @see RFC 7636 §4.2
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const endpoints = endpointsOf(options.authServer);
  const expected = { state, issuerOrigin: endpoints.authorize.origin };
  const listener = await listenForCallback({
    target: redirect,
    expected,
    onInvalid: (problem) =>
      warn(`the authorization server's response cannot be used: ${problem}; still waiting`),
  });
  const waiting = new AbortController();
  try {
    signal.throwIfAborted();
    const { redirectUri } = listener;
    const url = authorizationUrl(endpoints.authorize, { ...options, redirectUri, state, challenge });
    dependencies.showAddress(
      url,
      redirect.hosts.length === 0 ? null : Number(new URL(redirectUri).port) || 80,
    );
    // Only now, because the address that is shown contains the state.
    redactor.add(state);
    redactor.add(verifier);
    openInBackground(dependencies, url, waiting.signal);
    const lines = dependencies.pastedLines?.(waiting.signal);
    const responses = [
      ...(redirect.hosts.length === 0 ? [] : [listener.response]),
      ...(lines === undefined ? [] : [readPastedResponse(lines, { ...expected, redirectUri }, warn)]),
    ];
    const response = await raceTimeout(responses, options.timeout, dependencies);
    waiting.abort();
    return await showResult(listener, { profile, mask: redactor.mask }, async () => {
      if (response.kind === "error") throw authorizationError(response.error, response.description);
      const { code } = response;
      redactor.add(code);
      const tokenEndpoint = endpoints.token.href;
      const redemption = { ...options, tokenEndpoint, redirectUri, code, codeVerifier: verifier };
      return dependencies.accept(await redeemCode(redemption, dependencies.transport, signal));
    });
  } finally {
    waiting.abort();
    await listener.close();
  }
}

/** Completes the sign-in, and shows the result in the browser even when it fails. */
async function showResult(
  listener: CallbackListener,
  { profile, mask }: { readonly profile: string; readonly mask: (text: string) => string },
  complete: () => Promise<User>,
): Promise<User> {
  try {
    const user = await complete();
    await listener.respond(signedInPage(user.name ?? user.id, profile));
    return user;
  } catch (error) {
    const reason = error instanceof CliError ? error.message : "calctl failed: the terminal shows why";
    await listener.respond(failurePage(mask(reason)));
    throw error;
  }
}

/** Bytes of a code verifier, which becomes 43 base64url characters, and of a state. */
const SECRET_BYTES = 32;

function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

function endpointsOf(server: AuthorizationOptions["authServer"]): SignInEndpoints {
  if (!(server instanceof URL)) return server;
  const at = ({ path }: { readonly path: string }) => new URL(`${server.href.replace(/\/$/, "")}${path}`);
  return { authorize: at(OAUTH_ROUTES.authorize), token: at(OAUTH_ROUTES.token) };
}

interface AuthorizationQuery extends Pick<AuthorizationOptions, "clientId"> {
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string;
}

/** Keeps the query of the endpoint. @see RFC 6749 §3.1, §4.1.1, RFC 7636 §4.3 */
function authorizationUrl(
  endpoint: URL,
  { clientId, redirectUri, state, challenge }: AuthorizationQuery,
): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  return `${endpoint.href}${endpoint.search === "" ? "?" : "&"}${query}`;
}

/** Does not wait, because some launchers do not exit before the browser. */
function openInBackground(
  { openBrowser, warn }: Pick<AuthorizationDependencies, "openBrowser" | "warn">,
  url: string,
  signal: AbortSignal,
): void {
  openBrowser?.(url, signal).catch(() => {
    if (!signal.aborted) warn("no browser could be opened: open the address above yourself");
  });
}

/** @throws CliError not_signed_in after the timeout, and the signal's reason */
async function raceTimeout<T>(
  candidates: readonly Promise<T>[],
  seconds: number,
  { signal, pastedLines }: Pick<AuthorizationDependencies, "signal" | "pastedLines">,
): Promise<T> {
  let cancel: () => void = () => undefined;
  const deadline = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(timeoutError(seconds, pastedLines !== null)), seconds * 1000);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    cancel = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([...candidates, deadline]);
  } finally {
    cancel();
  }
}

function timeoutError(seconds: number, canPaste: boolean): CliError {
  const paste = canPaste ? "paste the address it shows, or " : "";
  const message = `the sign-in timed out after ${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  const hint = `run calctl login again, with --login-timeout for more time; if the browser did not return to calctl, ${paste}use --with-token`;
  return new CliError("not_signed_in", message, { hint });
}
