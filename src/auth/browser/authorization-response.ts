import { createHash, timingSafeEqual } from "node:crypto";
import { parseUrl } from "../../../contract/url.js";
import { originOf } from "../../config/profile-values.js";

/** One request to the callback listener, as received. */
export interface CallbackRequest {
  readonly method: string;
  /** The request target, unparsed: a URL parser would take `//evil/callback` and `http://evil/callback` for the path. */
  readonly target: string;
  readonly host: string | undefined;
  /** `Sec-Purpose`, or `Purpose`: a prefetch was not requested by the user. */
  readonly purpose: string | undefined;
}

export interface CallbackExpectation extends ExpectedResponse {
  readonly path: string;
  readonly port: number;
}

type CallbackVerdict =
  | { readonly kind: "response"; readonly response: AuthorizationResponse }
  /** Gets a response with this status; the sign-in continues. */
  | { readonly kind: "refused"; readonly status: 400 | 404 | 405 | 503 }
  /** An authorization response that cannot be used; the sign-in continues. */
  | { readonly kind: "invalid"; readonly problem: string };

/** Classifies a request to the listener. Pure; never throws. */
export function readCallbackRequest(
  request: CallbackRequest,
  expected: CallbackExpectation,
): CallbackVerdict {
  const { method, target, host, purpose } = request;
  const queryStart = target.indexOf("?");
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  if (path !== expected.path) return { kind: "refused", status: 404 };
  // Some browsers send OPTIONS and HEAD before the GET, and a code works only once.
  if (method !== "GET") return { kind: "refused", status: 405 };
  if (!isOwnHost(host, expected.port)) return { kind: "refused", status: 400 };
  if (purpose?.toLowerCase().includes("prefetch") === true) return { kind: "refused", status: 503 };
  const query = queryStart === -1 ? "" : target.slice(queryStart + 1);
  const parsed = parseAuthorizationResponse(query, expected);
  if (parsed.kind !== "invalid") return { kind: "response", response: parsed };
  const { problem, hasState } = parsed;
  return hasState ? { kind: "invalid", problem } : { kind: "refused", status: 400 };
}

/** A web page whose host name resolves to this machine must not reach the listener (DNS rebinding). */
function isOwnHost(host: string | undefined, port: number): boolean {
  const names = ["127.0.0.1", "[::1]", "localhost"];
  const own = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  return host !== undefined && own.includes(host.toLowerCase());
}

/** The authorization server's response, in the query of the redirect. @see RFC 6749 §4.1.2 */
export type AuthorizationResponse =
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "error"; readonly error: string; readonly description: string | null };

/** What the response must contain. */
export interface ExpectedResponse {
  readonly state: string;
  /** Origin of the authorization server, against mix-ups. @see RFC 9207 §2.4 */
  readonly issuerOrigin: string;
}

/** Why a query is not a response to this sign-in. */
interface InvalidResponse {
  readonly kind: "invalid";
  /** Whether it has the expected state: then our authorization server sent it, and the user should see the problem. */
  readonly hasState: boolean;
  /** The reason in words, for the end of a sentence. */
  readonly problem: string;
  /** What to do about an address that was pasted, after the problem. */
  readonly advice: string;
}

const UNIQUE_PARAMETERS = ["code", "state", "error", "error_description", "iss"];
const MAX_VALUE = 16 * 1024;

/**
 * Parses the query of a redirect, without its `?`. The state is checked first: a response without it, even an error,
 * is not from our authorization server.
 * @see RFC 6749 §10.12, RFC 9700 §4.7
 */
function parseAuthorizationResponse(
  query: string,
  expected: ExpectedResponse,
): AuthorizationResponse | InvalidResponse {
  const params = new URLSearchParams(query);
  const found = findProblem(params, expected);
  if (found !== null) {
    const [problem, advice = ""] = found;
    return { kind: "invalid", hasState: hasExpectedState(params, expected), problem, advice };
  }
  const error = params.get("error");
  if (error === null) return { kind: "code", code: params.get("code") ?? "" };
  return { kind: "error", error, description: params.get("error_description") };
}

function findProblem(
  params: URLSearchParams,
  { state, issuerOrigin }: ExpectedResponse,
): readonly [problem: string, advice?: string] | null {
  const has = (test: (values: readonly string[]) => boolean) =>
    UNIQUE_PARAMETERS.some((name) => test(params.getAll(name)));
  if (has((values) => values.length > 1)) return ["it has a parameter twice", "; copy it again"];
  const given = params.get("state");
  if (given === null) return ["it has no state", "; copy the whole address"];
  if (!isEqual(given, state))
    return ["it belongs to an earlier attempt", "; sign in at the address above and paste the new one"];
  if (has(([value = ""]) => value.length > MAX_VALUE)) return ["a parameter is too long"];
  const issuer = params.get("iss");
  if (issuer !== null && originOf(issuer) !== issuerOrigin) {
    const from = originOf(issuer) ?? issuer.slice(0, 100);
    return [`it comes from the issuer ${from}, but the authorization server is ${issuerOrigin}`];
  }
  const isComplete = params.has("error") || (params.get("code") ?? "") !== "";
  return isComplete ? null : ["it has no code", "; copy the whole address"];
}

function hasExpectedState(params: URLSearchParams, { state }: ExpectedResponse): boolean {
  const [first, ...others] = params.getAll("state");
  return first !== undefined && others.length === 0 && isEqual(first, state);
}

/** Compares in constant time. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

interface PasteExpectation extends ExpectedResponse {
  readonly redirectUri: string;
}

/**
 * Resolves with the first pasted redirect URL that belongs to this sign-in; stays pending without one, since the
 * browser may still send the response. Warns about any other line.
 */
export function readPastedResponse(
  lines: AsyncIterable<string>,
  expected: PasteExpectation,
  warn: (text: string) => void,
): Promise<AuthorizationResponse> {
  return new Promise((resolve) => {
    const readLines = async (): Promise<void> => {
      for await (const text of joinAddresses(lines)) {
        const parsed = parsePastedAddress(text, expected);
        if (typeof parsed !== "string") resolve(parsed);
        else if (parsed !== "") warn(parsed);
      }
    };
    // If the terminal cannot be read, the browser can still send the response.
    readLines().catch(() => undefined);
  });
}

/** Pasted lines, without empty ones. A line without an address or spaces continues the one before, which may be wrapped. */
async function* joinAddresses(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let address = "";
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const isWhole = /^\W*[a-z][a-z0-9+.-]*:\/\//i.test(line) || /\s/.test(line.trim());
    address = isWhole ? line : address + line;
    yield address;
  }
}

/**
 * The response in a pasted text, which may be in quotes or brackets and have spaces where it was wrapped; or what is
 * wrong with the text; "" if it is empty.
 */
export function parsePastedAddress(line: string, expected: PasteExpectation): AuthorizationResponse | string {
  const text = line.replace(/\s/g, "").replace(/^["'`<“‘]+|["'`>”’]+$/g, "");
  if (text === "") return "";
  const [address = "", query] = text.replace(/#.*$/s, "").split(/\?(.*)/s);
  if (query === undefined || !isSameAddress(address, expected.redirectUri)) {
    // The first page of this sign-in has its state, too.
    const isOther = ![null, expected.state].includes(new URLSearchParams(query).get("state"));
    return `${isOther ? "this address belongs to another sign-in; " : ""}paste the whole address of the last page: it begins with ${expected.redirectUri}?`;
  }
  const parsed = parseAuthorizationResponse(query, expected);
  if (parsed.kind !== "invalid") return parsed;
  return `this address cannot be used: ${parsed.problem}${parsed.advice}`;
}

/** Browsers normalize addresses: they add a slash after the host and drop a default port. */
function isSameAddress(pasted: string, redirectUri: string): boolean {
  return parseUrl(pasted)?.href === new URL(redirectUri).href;
}
