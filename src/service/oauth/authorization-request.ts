import { badRequest } from "../http/reply.js";
import { findClient, listRedirectUris } from "../store/clients.js";
import type { ClientRow } from "../store/schema.js";
import type { Queries } from "../store/sqlite/open.js";
import { formatParameters, type Parameters } from "./parameters.js";
import { type CodeChallenge, readChallenge } from "./pkce.js";
import { isRegistered } from "./redirect-uri.js";

/** What a client asks the user for. @see RFC 6749 §4.1.1 */
export interface AuthorizationRequest {
  readonly client: ClientRow;
  readonly redirectUri: string;
  /** Undefined: the client sent none. */
  readonly state: string | undefined;
  readonly challenge: CodeChallenge | null;
}

export interface RefusedRequest {
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** @see RFC 6749 §4.1.2.1 */
  readonly error: "invalid_request" | "unsupported_response_type";
  readonly description: string;
}

export type RequestReading =
  | { readonly kind: "valid"; readonly request: AuthorizationRequest }
  /** The client is told so at its redirect URI. */
  | { readonly kind: "refused"; readonly refused: RefusedRequest };

/**
 * Reads an authorization request, client and redirect URI first: while these are not known to belong together, the
 * browser must not be sent anywhere.
 * @throws ProblemError 400 when the client or its redirect URI is wrong
 * @see RFC 6749 §4.1.2.1
 */
export async function readAuthorizationRequest(
  db: Queries,
  { values, repeated }: Parameters,
): Promise<RequestReading> {
  const { client, redirectUri } = await readClient(db, { values, repeated });
  const state = values.get("state");
  const refuse = (error: RefusedRequest["error"], description: string): RequestReading => ({
    kind: "refused",
    refused: { redirectUri, state, error, description },
  });
  const twice = PARAMETERS.find((name) => repeated.has(name));
  if (twice !== undefined) return refuse("invalid_request", `${twice} was sent more than once`);
  const responseType = values.get("response_type");
  if (responseType === undefined) return refuse("invalid_request", "response_type is missing");
  if (responseType !== "code") return refuse("unsupported_response_type", "response_type must be code");
  const reading = readChallenge(values.get("code_challenge"), values.get("code_challenge_method"));
  if (reading.kind === "wrong") return refuse("invalid_request", reading.problem);
  return { kind: "valid", request: { client, redirectUri, state, challenge: reading.challenge } };
}

const PARAMETERS = ["response_type", "state", "code_challenge", "code_challenge_method"];

async function readClient(db: Queries, parameters: Parameters) {
  const clientId = requireTrusted(parameters, "client_id");
  const client = await findClient(db, clientId);
  if (client === undefined) {
    throw badRequest(`No program with the client_id “${clientId}” is registered with this service.`);
  }
  const redirectUri = requireTrusted(parameters, "redirect_uri");
  if (!isRegistered(redirectUri, await listRedirectUris(db, client.id))) {
    throw badRequest(
      `The redirect_uri “${redirectUri}” is not one that “${client.name}” is registered with; it must be the same to the letter.`,
    );
  }
  return { client, redirectUri };
}

/** @throws ProblemError 400 when it is missing or was sent more than once */
function requireTrusted({ values, repeated }: Parameters, name: string): string {
  if (repeated.has(name)) throw badRequest(`The request has more than one ${name}.`);
  const value = values.get(name);
  if (value === undefined) throw badRequest(`The request has no ${name}.`);
  return value;
}

/** The request as a query again, without what was not understood. */
export function formatRequest({ client, redirectUri, state, challenge }: AuthorizationRequest): string {
  return formatParameters({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    state,
    code_challenge: challenge?.value,
    code_challenge_method: challenge?.method,
  });
}
