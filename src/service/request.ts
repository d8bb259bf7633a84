import type { ServiceResponse } from "./http/response.js";

/** One HTTP request as plain data. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Where a request comes from: a socket, or this process, which names its user. No header can claim the latter. */
export type RequestSource =
  | {
      readonly kind: "network";
      readonly address: string;
      /** Public URL of the service, if the listener knows it. */
      readonly baseUrl?: string;
    }
  | { readonly kind: "local"; readonly userId: string };

/** Path and query of a request target in origin or absolute form. @see RFC 9112 §3.2 */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const [path = "", ...query] = target.replace(/^https?:\/\/[^/?]*/i, "").split("?");
  return { path, query: query.join("?") };
}

/** Answers any request, with a problem if it fails. Rejects only when the service is closed. */
export type RequestHandler = (request: ServiceRequest, source: RequestSource) => Promise<ServiceResponse>;
