import type { ProblemError, ServiceResponse } from "./http/response.js";

/** One HTTP request as plain data. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A request of which only the head has been read. */
export interface IncomingRequest extends Omit<ServiceRequest, "body"> {
  /** The body, or what reads it: called at most once, after token and rate limit were checked. */
  readonly body: Uint8Array | (() => Promise<Uint8Array>);
  /** Why the request must be refused, if its head alone is wrong. */
  readonly refusal?: ProblemError | undefined;
  /** Called when the caller was identified, with whether its token is valid. */
  readonly onIdentified?: (isAuthenticated: boolean) => void;
  /** Checks whether the client may have another response; called before the work. @throws ProblemError 429, 503 */
  readonly admit?: () => void;
  /**
   * Takes the memory for the response to a request that only reads, until it was received.
   * @param size of its body in bytes
   * @throws ProblemError 429, 503
   */
  readonly reserve?: (size: number) => void;
}

/** The body of a request. @throws ProblemError like what reads it */
export async function bodyOf({ body }: IncomingRequest): Promise<Uint8Array> {
  return typeof body === "function" ? body() : body;
}

/** Where a request comes from: a socket, or this process, which names its user. No header can claim the latter. */
export type RequestSource = NetworkSource | { readonly kind: "local"; readonly userId: string };

export interface NetworkSource {
  readonly kind: "network";
  readonly address: string;
  /** Hash of the Bearer token, null for none; undefined if the listener has not computed it. */
  readonly tokenHash?: string | null;
  /** Public URL of the service, if the listener knows it. */
  readonly baseUrl?: string;
  /** Whether the certificate is valid for a host, if there is one and no public URL names the host. */
  readonly isCertified?: ((host: string) => boolean) | undefined;
}

/** Path and query of a request target in origin or absolute form. @see RFC 9112 §3.2 */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const text = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = text.indexOf("?");
  return mark === -1 ? { path: text, query: "" } : { path: text.slice(0, mark), query: text.slice(mark + 1) };
}

/** Answers any request, with a problem if it fails. Rejects only when the service is closed. */
export type RequestHandler = (request: IncomingRequest, source: RequestSource) => Promise<ServiceResponse>;
