import type { Transport } from "./transport.js";

/** Sends `Authorization: Bearer` with every request. @see RFC 6750 §2.1 */
export function withBearer(transport: Transport, token: string): Transport {
  return (request) =>
    transport({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
}
