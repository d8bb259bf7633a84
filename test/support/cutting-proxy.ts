import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface CuttingProxy {
  readonly port: number;
  /** Cuts every connection that is open. */
  cut(): void;
}

export interface CuttingProxyOptions {
  /** Decides from what a client sends whether its connection is cut: before the server gets it, or when it answers. */
  readonly cutAt?: (sent: string) => "now" | "at the answer" | null;
}

/** Passes TCP connections on to a server on this machine until the test ends. */
export async function startCuttingProxy(
  serverPort: number,
  { cutAt = () => null }: CuttingProxyOptions = {},
): Promise<CuttingProxy> {
  const open = new Set<() => void>();
  const proxy = createServer((client) => {
    const server = connect(serverPort, "127.0.0.1");
    const sockets: readonly Socket[] = [client, server];
    const end = () => {
      open.delete(end);
      for (const socket of sockets) socket.destroy();
    };
    open.add(end);
    for (const socket of sockets) socket.on("error", end).on("close", end);
    let isAnswerCut = false;
    client.on("data", (chunk) => {
      const cut = cutAt(chunk.toString("latin1"));
      if (cut === "now") return end();
      isAnswerCut ||= cut !== null;
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (isAnswerCut) end();
      else client.write(chunk);
    });
  });
  const cut = () => {
    for (const end of open) end();
  };
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.close();
    cut();
  });
  return { port: (proxy.address() as AddressInfo).port, cut };
}
