/** One HTTP request as plain data. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** One whole HTTP answer as plain data. */
export interface ServiceResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Who sends: over a socket by address (then the Bearer token says who), in-process a user, which no header can claim. */
export type Origin =
  | {
      readonly kind: "network";
      readonly address: string;
      /** Where clients reach the service, as far as the listener knows. */
      readonly baseUrl?: string;
    }
  | { readonly kind: "local"; readonly userId: string };

/** Answers any request, with a problem where something is wrong; rejects only once the service is closed. */
export type Handle = (request: ServiceRequest, origin: Origin) => Promise<ServiceResponse>;
