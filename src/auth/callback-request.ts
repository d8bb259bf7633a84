import {
  type AuthorizationResponse,
  type ExpectedResponse,
  parseAuthorizationResponse,
} from "./authorization-response.js";

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
