import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A server that accepts every connection and responds only when the test says so. */
export interface SilentServer {
  readonly url: string;
  /** Resolves with the connection of a request that contains this text. */
  asked(text: string): Promise<Socket>;
}

export async function startSilentServer(): Promise<SilentServer> {
  const waiting = new Set<(request: string, socket: Socket) => void>();
  const requests: (readonly [string, Socket])[] = [];
  const server = createServer((socket) => {
    socket.on("data", (chunk) => {
      const request = chunk.toString("latin1");
      requests.push([request, socket]);
      for (const look of waiting) look(request, socket);
    });
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked: (text) =>
      new Promise((resolve) => {
        const look = (request: string, socket: Socket): void => {
          if (!request.includes(text)) return;
          waiting.delete(look);
          resolve(socket);
        };
        waiting.add(look);
        for (const [request, socket] of requests) look(request, socket);
      }),
  };
}

/** Writes an answer with a JSON body over a connection. */
export function answerJson(socket: Socket, body: unknown): void {
  answer(socket, "200 OK", { "content-type": "application/json" }, JSON.stringify(body));
}

/** Writes a whole answer over a connection. */
export function answer(
  socket: Socket,
  status: string,
  headers: Readonly<Record<string, string>>,
  body = "",
): void {
  const all = { ...headers, "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
}
