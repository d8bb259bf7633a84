import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { TLSSocket, type TLSSocketOptions } from "node:tls";

/** A server that speaks PostgreSQL's protocol up to TLS, and no further. */
export interface TlsOnlyServer {
  readonly port: number;
  close(): void;
}

/** @param answer what comes after the server has agreed to TLS: TLS, or this text */
export async function startTlsOnlyServer(answer: TLSSocketOptions | string): Promise<TlsOnlyServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => {
      // @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL
      socket.write("S");
      // The client has sent its greeting by then.
      if (typeof answer === "string") socket.once("data", () => socket.end(answer));
      else new TLSSocket(socket, { isServer: true, ...answer }).on("error", () => undefined).resume();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
