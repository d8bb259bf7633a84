import * as v from "valibot";
import { isJsonObject, parseJson } from "../../../contract/json.js";
import { METADATA_PATH, metadataSchema, OAUTH_ROUTES } from "../../../contract/oauth.js";
import { parseUrl } from "../../../contract/url.js";
import type { HttpResponse, Transport } from "../../api/transport.js";
import { CHECK_BASE_URL } from "../../config/login-settings.js";
import { formatAddress } from "../../config/profile-values.js";
import { CliError, configurationError } from "../../errors.js";
import type { SignInEndpoints } from "./authorization.js";
import { isTransportError } from "./token-client.js";

/** Where a service lets users sign in, as it says itself. */
export interface DiscoveredServer {
  readonly endpoints: SignInEndpoints;
  /** The address below which the endpoints have the contract's paths, without a trailing slash; null if they have others. */
  readonly authUrl: URL | null;
  /** The client that needs no registration and has no secret; undefined if the service offers none. */
  readonly publicClientId: string | undefined;
}

/**
 * Asks a service for the metadata of its authorization server; null if it publishes none.
 * @param baseUrl without a trailing slash
 * @throws CliError rejected when the metadata is of another issuer, or has an endpoint elsewhere; unavailable when the
 * service cannot be asked
 * @see RFC 8414 §3
 */
export async function discoverServer(
  baseUrl: URL,
  transport: Transport,
  signal: AbortSignal,
): Promise<DiscoveredServer | null> {
  for (const url of metadataUrls(baseUrl)) {
    const response = await ask(url, transport, signal);
    const metadata = response === null ? undefined : readMetadata(response);
    if (metadata !== undefined) return checkMetadata(metadata, baseUrl);
  }
  return null;
}

/** The path of an issuer follows the well-known one. Behind a proxy, only addresses below the issuer may reach the service. */
function metadataUrls(baseUrl: URL): readonly string[] {
  const path = baseUrl.pathname.replace(/\/$/, "");
  const urls = [`${baseUrl.origin}${METADATA_PATH}${path}`, `${formatAddress(baseUrl)}${METADATA_PATH}`];
  return [...new Set(urls)];
}

/** Null for more than any metadata. */
async function ask(url: string, transport: Transport, signal: AbortSignal): Promise<HttpResponse | null> {
  try {
    return await transport({ method: "GET", url, headers: { accept: "application/json" }, signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!isTransportError(error)) throw error;
    if (error.kind === "too_large") return null;
    const message = `the service cannot be asked where to sign in: ${error.message}`;
    if (error.kind === "tls" || error.kind === "proxy")
      throw configurationError(message, { hint: error.hint, cause: error });
    throw new CliError("unavailable", message, { hint: CHECK_BASE_URL, cause: error });
  }
}

/** Undefined if there is none: many services answer any path, with a page or a redirect. */
function readMetadata({ status, body }: HttpResponse): Readonly<Record<string, unknown>> | undefined {
  if (status >= 500 || status === 429) {
    const message = `the service cannot be asked where to sign in: it returned ${status}`;
    throw new CliError(status === 429 ? "rate_limited" : "unavailable", message, {
      status,
      hint: CHECK_BASE_URL,
    });
  }
  if (status !== 200) return undefined;
  const json = parseJson(new TextDecoder().decode(body));
  return isJsonObject(json) ? json : undefined;
}

/** The endpoints get what signs the user in, so they must be those of this service. @see RFC 8414 §3.3 */
function checkMetadata(json: Readonly<Record<string, unknown>>, baseUrl: URL): DiscoveredServer {
  const address = formatAddress(baseUrl);
  const { issuer } = json;
  if (typeof issuer !== "string" || issuer.replace(/\/$/, "") !== address) {
    const other = typeof issuer === "string" ? `for ${issuer.slice(0, 200)}` : "for no issuer";
    throw invalidMetadata(
      `it is ${other}, not for ${address}`,
      "is --base-url the address that its operator gives?",
    );
  }
  const metadata = v.safeParse(metadataSchema, json);
  if (!metadata.success) throw invalidMetadata(`${v.getDotPath(metadata.issues[0])} is missing or wrong`);
  const { authorization_endpoint, token_endpoint, calctl_client_id } = metadata.output;
  const endpoints = {
    authorize: readEndpoint(authorization_endpoint, baseUrl),
    token: readEndpoint(token_endpoint, baseUrl),
  };
  const below = withoutPath(endpoints.authorize, OAUTH_ROUTES.authorize.path);
  const isContract = below === withoutPath(endpoints.token, OAUTH_ROUTES.token.path);
  const authUrl = isContract && below !== null ? parseUrl(below) : null;
  return { endpoints, authUrl, publicClientId: calctl_client_id };
}

/** An endpoint at any path of the service. @see RFC 6749 §3.1, §3.2 */
function readEndpoint(text: string, { origin }: URL): URL {
  const url = parseUrl(text);
  if (url === null || text.includes("#") || url.username !== "" || url.password !== "")
    throw invalidMetadata("its endpoints must be absolute addresses without a password or a fragment");
  if (url.origin !== origin) throw invalidMetadata(`its endpoints are at ${url.origin}, not at ${origin}`);
  return url;
}

/** The address below which an endpoint has this path; null if it has another one. */
function withoutPath({ href }: URL, path: string): string | null {
  return href.endsWith(path) ? href.slice(0, -path.length) : null;
}

function invalidMetadata(
  problem: string,
  hint = "use --auth-url and --client-id to sign in without it",
): CliError {
  return new CliError("rejected", `the service's sign-in metadata cannot be used: ${problem}`, { hint });
}
