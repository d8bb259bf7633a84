import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Connections that send bytes of their own, as no HTTP client would. */

/** A connection to a service, closed at the end of the test. */
export async function openSocket({ baseUrl }: { readonly baseUrl: string }): Promise<Socket> {
  const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Resolves with the statuses of the responses when there are `count`, or when the connection ends. */
export function statusesOf(socket: Socket, count: number): Promise<string[]> {
  return new Promise((resolve) => {
    const statuses: string[] = [];
    let rest = "";
    socket.on("close", () => resolve(statuses));
    socket.on("data", (chunk) => {
      const lines = `${rest}${chunk.toString("latin1")}`.split("\r\n");
      rest = lines.pop() ?? "";
      // A status line follows the body of the response before it, which has no line end.
      for (const line of lines) statuses.push(...(/HTTP\/1\.1 (\d{3})/.exec(line)?.slice(1) ?? []));
      if (statuses.length >= count) resolve(statuses);
    });
  });
}
