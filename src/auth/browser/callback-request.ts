import { createHash, timingSafeEqual } from "node:crypto";

/** One request to the callback listener, as it came over the socket. */
export interface CallbackRequest {
  readonly method: string;
  /** The request target, unparsed: a URL parser would take `//evil/callback` and `http://evil/callback` for the path. */
  readonly target: string;
  readonly host: string | undefined;
  /** `Sec-Purpose`, or `Purpose`: a browser that fetches ahead has no user behind it. */
  readonly purpose: string | undefined;
}

export interface CallbackExpectation extends ExpectedResponse {
  readonly path: string;
  readonly port: number;
}

export type CallbackVerdict =
  | { readonly kind: "response"; readonly response: AuthorizationResponse }
  /** Answered with this status; the attempt goes on. */
  | { readonly kind: "refused"; readonly status: 400 | 404 | 405 | 503 }
  /** The authorization server's own answer, with something wrong about it; the attempt goes on. */
  | { readonly kind: "unusable"; readonly problem: string };

/** Decides what a request to the listener is, without effects; never throws. */
export function readCallbackRequest(
  request: CallbackRequest,
  expected: CallbackExpectation,
): CallbackVerdict {
  const { method, target, host, purpose } = request;
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  if (path !== expected.path) return { kind: "refused", status: 404 };
  // Browsers have sent OPTIONS and HEAD ahead of the GET, and a code works once.
  if (method !== "GET") return { kind: "refused", status: 405 };
  if (!isOwnHost(host, expected.port)) return { kind: "refused", status: 400 };
  if (purpose?.toLowerCase().includes("prefetch") === true) return { kind: "refused", status: 503 };
  const query = mark === -1 ? "" : target.slice(mark + 1);
  const parsed = parseAuthorizationResponse(query, expected);
  if (parsed.ok) return { kind: "response", response: parsed.response };
  return parsed.isOurs ? { kind: "unusable", problem: parsed.problem } : { kind: "refused", status: 400 };
}

/** A page of another name that resolves to this machine must not reach the listener (DNS rebinding). */
function isOwnHost(host: string | undefined, port: number): boolean {
  const names = ["127.0.0.1", "[::1]", "localhost"];
  const own = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  return host !== undefined && own.includes(host.toLowerCase());
}

/** What the authorization server sent back through the browser. @see RFC 6749 §4.1.2 */
export type AuthorizationResponse =
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "error"; readonly error: string; readonly description: string | null };

/** What the response to this attempt must carry. */
export interface ExpectedResponse {
  readonly state: string;
  /** Origin of the authorization server, against mix-ups. @see RFC 9207 §2.4 */
  readonly issuerOrigin: string;
}

/** Why a query is no response to this attempt; the attempt goes on. */
export type ResponseFault = "doubled" | "no_state" | "wrong_state" | "wrong_issuer" | "no_code" | "too_long";

export type ParsedResponse =
  | { readonly ok: true; readonly response: AuthorizationResponse }
  | {
      readonly ok: false;
      readonly fault: ResponseFault;
      /** It carries the state: our own authorization server sent it, so whoever signs in should know what is wrong. */
      readonly isOurs: boolean;
      /** What is wrong about it, as the end of a sentence. */
      readonly problem: string;
    };

const SINGLE = ["code", "state", "error", "error_description", "iss"];
const VALUE_MAX = 4096;

/**
 * Reads the query of a redirect, without its `?`. The state is looked at before anything else: whatever does not carry
 * it, errors too, comes from somebody else.
 * @see RFC 6749 §10.12, RFC 9700 §4.7
 */
export function parseAuthorizationResponse(query: string, expected: ExpectedResponse): ParsedResponse {
  const params = new URLSearchParams(query);
  const fault = findFault(params, expected);
  if (fault !== null) {
    const problem = fault === "wrong_issuer" ? issuerProblem(params, expected) : PROBLEMS[fault];
    return { ok: false, fault, isOurs: carriesState(params, expected), problem };
  }
  const error = params.get("error");
  if (error !== null) {
    const description = params.get("error_description");
    return { ok: true, response: { kind: "error", error, description } };
  }
  return { ok: true, response: { kind: "code", code: params.get("code") ?? "" } };
}

const PROBLEMS: Readonly<Record<Exclude<ResponseFault, "wrong_issuer">, string>> = {
  doubled: "a part of it is there twice",
  no_state: "it has no state",
  wrong_state: "it belongs to an earlier attempt",
  no_code: "it has no code",
  too_long: "a part of it is too long",
};

function issuerProblem(params: URLSearchParams, { issuerOrigin }: ExpectedResponse): string {
  const issuer = params.get("iss") ?? "";
  return `it comes from the issuer ${originOf(issuer) ?? issuer.slice(0, 100)}, and the authorization server is at ${issuerOrigin}`;
}

function findFault(params: URLSearchParams, expected: ExpectedResponse): ResponseFault | null {
  if (SINGLE.some((name) => params.getAll(name).length > 1)) return "doubled";
  const state = params.get("state");
  if (state === null) return "no_state";
  if (!sameText(state, expected.state)) return "wrong_state";
  if (SINGLE.some((name) => (params.get(name)?.length ?? 0) > VALUE_MAX)) return "too_long";
  const issuer = params.get("iss");
  if (issuer !== null && originOf(issuer) !== expected.issuerOrigin) return "wrong_issuer";
  return params.has("error") || (params.get("code") ?? "") !== "" ? null : "no_code";
}

function carriesState(params: URLSearchParams, { state }: ExpectedResponse): boolean {
  const [first, ...others] = params.getAll("state");
  return first !== undefined && others.length === 0 && sameText(first, state);
}

function originOf(text: string): string | null {
  return URL.canParse(text) ? new URL(text).origin : null;
}

/** Compares in a time that says nothing about where the texts differ. */
function sameText(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
