import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { hashBearerToken } from "../authentication.js";
import type { Service } from "../service.js";
import type { ClientAddressReader } from "./addresses.js";
import { createClientFailures, formatLastResponse } from "./client-errors.js";
import { createConnectionQueue } from "./connection-queue.js";
import { createExchangeHandler, type Exchange, type ExchangeOptions } from "./exchange.js";
import { createTurnKeys } from "./turns.js";

export interface DrainableListener {
  /** Takes one request. */
  readonly listener: RequestListener;
  /** Takes the connections and requests of a server from now on, also those that Node.js would answer by itself. */
  attach(server: Server): void;
  /** Resolves when no request is in progress. From now on, responses close their connection. */
  drain(): Promise<void>;
}

export interface RequestListenerOptions extends Pick<ExchangeOptions, "sendTimeout" | "stallTimeout"> {
  readonly addressOf: ClientAddressReader;
  /** Public URL of the service. */
  readonly baseUrl: string;
  readonly isCertified?: ((host: string) => boolean) | undefined;
}

/** Passes the requests of an HTTP server to the service and sends its responses. */
export function createRequestListener(service: Service, options: RequestListenerOptions): DrainableListener {
  const { addressOf, baseUrl, isCertified } = options;
  const queue = createConnectionQueue();
  const turnKeys = createTurnKeys();
  const failures = createClientFailures();
  let draining = false;
  const handle = createExchangeHandler({
    ...options,
    service,
    turnKeys,
    failures,
    isDraining: () => draining,
  });

  const add = (request: IncomingMessage, response: ServerResponse, expectation: Exchange["expectation"]) => {
    const { socket, headers } = request;
    const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(", ");
    const address = addressOf(socket.remoteAddress ?? "", forwarded);
    const tokenHash = hashBearerToken(headers.authorization);
    const source = { kind: "network", address, tokenHash, baseUrl, isCertified } as const;
    const turn = turnKeys.keyOf(address, tokenHash);
    const exchange = { request, response, source, expectation, client: turn };
    queue.add({
      socket,
      client: address,
      turn,
      hasBody: "content-length" in headers || "transfer-encoding" in headers,
      handle: closeOnFailure(socket, () => handle(exchange)),
    });
  };

  const addFailure = (error: Error, socket: Socket) => {
    const problem = failures.note(error, socket);
    if (problem === null) return;
    const address = addressOf(socket.remoteAddress ?? "", undefined);
    const handleFailure = async () => {
      const request = { method: "-", target: "-", headers: {}, body: new Uint8Array(), refusal: problem };
      socket.write(formatLastResponse(await service.handle(request, { kind: "network", address, baseUrl })));
      socket.destroySoon();
      return false;
    };
    const turn = turnKeys.keyOf(address, null);
    queue.add({
      socket,
      client: address,
      turn,
      hasBody: false,
      handle: closeOnFailure(socket, handleFailure),
    });
  };

  const listener: RequestListener = (request, response) => add(request, response, null);
  return {
    listener,
    attach(server) {
      server.on("connection", queue.noteConnection);
      server.on("request", listener);
      server.on("checkContinue", (request, response) => add(request, response, "100-continue"));
      server.on("checkExpectation", (request, response) => add(request, response, "unknown"));
      server.on("clientError", (error, socket) => {
        if (socket instanceof Socket) addFailure(error, socket);
      });
    },
    drain() {
      draining = true;
      return queue.drain();
    },
  };
}

/** A client that disconnects is not a failure of the service. */
function closeOnFailure(socket: Socket, handle: () => Promise<boolean>): () => Promise<boolean> {
  return () =>
    handle().catch(() => {
      socket.destroy();
      return false;
    });
}
