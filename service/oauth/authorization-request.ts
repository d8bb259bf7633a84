import { badRequest, excerpt } from "../http/response.js";
import { listRedirectUris } from "../store/clients.js";
import type { ClientRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import type { OAuthContext } from "./context.js";
import { type CodeChallenge, parseChallenge } from "./pkce.js";
import { findClient, isPublic, PUBLIC_REDIRECT_URIS } from "./public-client.js";

/** @see RFC 6749 §4.1.1 */
export interface AuthorizationRequest {
  readonly client: ClientRow;
  readonly redirectUri: string;
  /** Undefined if the client sent none. */
  readonly state: string | undefined;
  readonly challenge: CodeChallenge | null;
}

/**
 * Parses an authorization request. Client and redirect URI come first: without a registered redirect URI the browser
 * must not be redirected.
 * @returns where to redirect the browser with an error, which the client is to report, if the rest is invalid
 * @throws ProblemError 400 when the client or its redirect URI is invalid
 * @see RFC 6749 §4.1.2.1
 */
export async function parseAuthorizationRequest(
  db: Transaction,
  { values, repeated }: Parameters,
  context: Pick<OAuthContext, "publicClient">,
): Promise<AuthorizationRequest | string> {
  const { client, redirectUri } = await readClient(db, { values, repeated }, context);
  const state = values.get("state");
  const reject = (error: string, error_description: string) =>
    authorizationResponse(redirectUri, { error, error_description, state });
  const duplicate = PARAMETERS.find((name) => repeated.has(name));
  if (duplicate !== undefined) return reject("invalid_request", `${duplicate} was sent more than once`);
  const responseType = values.get("response_type");
  if (responseType === undefined) return reject("invalid_request", "response_type is missing");
  if (responseType !== "code") return reject("unsupported_response_type", "response_type must be code");
  const challenge = parseChallenge(values.get("code_challenge"), values.get("code_challenge_method"));
  if (typeof challenge === "string") return reject("invalid_request", challenge);
  if (isPublic(client) && challenge?.method !== "S256") {
    return reject("invalid_request", "this client needs a code_challenge with the method S256");
  }
  return { client, redirectUri, state, challenge };
}

const PARAMETERS = ["response_type", "state", "code_challenge", "code_challenge_method"];

async function readClient(
  db: Transaction,
  parameters: Parameters,
  context: Pick<OAuthContext, "publicClient">,
) {
  const clientId = requireParameter(parameters, "client_id");
  const client = await findClient(db, clientId, context);
  if (client === undefined) {
    throw badRequest(`No app with the client_id “${excerpt(clientId)}” is registered with this service.`);
  }
  const redirectUri = requireParameter(parameters, "redirect_uri");
  const registered = isPublic(client) ? PUBLIC_REDIRECT_URIS : await listRedirectUris(db, client.id);
  if (!isRegistered(redirectUri, registered)) {
    throw badRequest(
      `The redirect_uri “${excerpt(redirectUri)}” is not registered for “${client.name}”. It must match exactly.`,
    );
  }
  return { client, redirectUri };
}

/** @throws ProblemError 400 when it is missing or was sent more than once */
function requireParameter({ values, repeated }: Parameters, name: string): string {
  if (repeated.has(name)) throw badRequest(`The request has more than one ${name}.`);
  const value = values.get(name);
  if (value === undefined) throw badRequest(`The request has no ${name}.`);
  return value;
}

/**
 * The URL of the request without unknown parameters. It is relative, so that it also works through a proxy that serves the
 * service at another path.
 */
export function authorizeUrl({ client, redirectUri, state, challenge }: AuthorizationRequest): string {
  const query = formatParameters({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    state,
    code_challenge: challenge?.value,
    code_challenge_method: challenge?.method,
  });
  return `authorize?${query}`;
}

/**
 * Whether a redirect URI is one that the client registered. The comparison is exact, except for the port of http on a
 * loopback IP address: apps listen on any free port. @see RFC 8252 §7.3, RFC 9700 §2.1
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  const withoutPort = dropLoopbackPort(uri);
  return registered.some((other) => other === uri || dropLoopbackPort(other) === withoutPort);
}

/** Nobody listens on port 0, and another parser may read leading zeros otherwise. */
const LOOPBACK_PORT = /^(http:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\])):([1-9]\d{0,4})(?=[/?]|$)/;
const MAX_PORT = 65_535;

/** Compares text, not parsed URLs: two parsers may disagree about a URL. */
function dropLoopbackPort(uri: string): string {
  return uri.replace(LOOPBACK_PORT, (match, host: string, port: string) =>
    Number(port) <= MAX_PORT ? host : match,
  );
}

/** The redirect URI with response parameters added to its query. @see RFC 6749 §4.1.2 */
export function authorizationResponse(
  redirectUri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const separator = /[?&]$/.test(redirectUri) ? "" : redirectUri.includes("?") ? "&" : "?";
  return `${redirectUri}${separator}${formatParameters(parameters)}`;
}

/** Parameters of a query or a form by name. A parameter without a value is treated as omitted. @see RFC 6749 §3.1 */
export interface Parameters {
  readonly values: ReadonlyMap<string, string>;
  /** Names that were sent more than once. They are not in `values`. */
  readonly repeated: ReadonlySet<string>;
}

const MAX_PARAMETERS = 100;

/**
 * Parses `application/x-www-form-urlencoded` text. @see RFC 6749 appendix B
 * @throws ProblemError 400 when it has more than MAX_PARAMETERS parameters, or is not UTF-8, which could not be sent back
 * unchanged
 */
export function parseParameters(text: string): Parameters {
  const values = new Map<string, string>();
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const pairs = text.split("&", MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) {
    throw badRequest(`The request has more than ${MAX_PARAMETERS} parameters.`);
  }
  for (const pair of pairs.filter((part) => part !== "")) {
    const [encodedName = "", ...rest] = pair.split("=");
    const name = decodeFormText(encodedName);
    const value = decodeFormText(rest.join("="));
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
    if (value !== "") values.set(name, value);
  }
  for (const name of repeated) values.delete(name);
  return { values, repeated };
}

/** Decodes a name or value of a form. @throws ProblemError 400 when it is not percent-encoded UTF-8 */
export function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(withSpaces(text));
  } catch {
    throw badRequest("The request is not percent-encoded UTF-8.");
  }
}

/** Has a space for each plus sign. To replace as many as a body can have as text would take a hundred times as long. */
function withSpaces(text: string): string {
  const bytes = Buffer.from(text);
  for (let position = 0; position < bytes.length; position += 1) {
    if (bytes[position] === PLUS) bytes[position] = SPACE;
  }
  return bytes.toString();
}

const PLUS = 0x2b;
const SPACE = 0x20;

/** Formats parameters as a query, without undefined ones. A space becomes `%20`, which every decoder accepts. */
function formatParameters(parameters: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join("&");
}
