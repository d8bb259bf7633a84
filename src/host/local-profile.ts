import type { HttpResponse, Transport } from "../api/transport.js";
import type { LocalService } from "../machine.js";

/** Base URL of requests to the embedded service. It is never connected to. */
export const LOCAL_BASE_URL = "http://local.invalid/";

/**
 * The transport to the embedded service in this process: same client, same bodies, no socket and no token.
 * @throws the error that caused a 500 or 503, such as a damaged database, because here it is the user's own
 */
export function createInProcessTransport({ service, userId }: LocalService): Transport {
  const encoder = new TextEncoder();
  return async (request): Promise<HttpResponse> => {
    request.signal?.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const body = encoder.encode(request.body ?? "");
    const { failure, ...response } = await service.handle(
      { method: request.method, target: `${pathname}${search}`, headers: request.headers, body },
      { kind: "local", userId },
    );
    if (failure !== undefined) throw failure;
    return response;
  };
}
