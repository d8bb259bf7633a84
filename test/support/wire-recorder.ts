import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Service } from "../../src/service/service.js";

/** One request as it came over the socket. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; null without a body. */
  readonly body: unknown;
}

/** An answer in place of the service's. */
export interface CannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WireRecorder {
  readonly baseUrl: string;
  readonly requests: WireRequest[];
  /** Answers the next requests of this method and path itself. */
  answer(methodAndPath: string, answer: CannedAnswer): void;
}

/** A socket in front of a service that keeps what came over it. */
export async function startWireRecorder(service: Service): Promise<WireRecorder> {
  const requests: WireRequest[] = [];
  const canned = new Map<string, CannedAnswer>();
  const server = createServer(async (incoming, outgoing) => {
    const bytes = await readBody(incoming);
    const request = toWireRequest(incoming, bytes);
    requests.push(request);
    const answer = canned.get(`${request.method} ${request.path}`);
    if (answer !== undefined) respond(outgoing, { body: "", ...answer });
    else {
      const { status, headers, body } = await service.handle(
        { method: request.method, target: incoming.url ?? "/", headers: request.headers, body: bytes },
        { kind: "network", address: "127.0.0.1" },
      );
      respond(outgoing, { status, headers, body });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    answer: (methodAndPath, answer) => {
      canned.set(methodAndPath, answer);
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function toWireRequest(incoming: IncomingMessage, bytes: Uint8Array): WireRequest {
  const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
  return {
    method: incoming.method ?? "",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: bytes.length === 0 ? null : JSON.parse(Buffer.from(bytes).toString("utf8")),
  };
}

function respond(
  outgoing: ServerResponse,
  answer: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array;
  },
): void {
  outgoing.writeHead(answer.status, answer.headers ?? {});
  outgoing.end(answer.body);
}
