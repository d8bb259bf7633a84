import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface CuttingProxy {
  readonly port: number;
  /** Cuts every connection that is open. */
  cut(): void;
  /** From now on every connection is silenced as soon as something is sent on it, until `restore` is called. */
  silence(): void;
  restore(): void;
  /** How many connections there were, and how many of them are open. */
  connections(): { readonly made: number; readonly open: number };
}

/**
 * What becomes of a connection: it is cut before the server gets what was sent, or when the server answers; or nothing is
 * passed on any more, and it stays open.
 */
export type Cut = "now" | "at the answer" | "silenced";

export interface CuttingProxyOptions {
  /** Decides from what a client sends. */
  readonly cutAt?: (sent: string) => Cut | null;
  /** Called when one is silenced: its client waits for an answer from then on. */
  readonly onSilenced?: () => void;
}

/** Passes TCP connections on to a server on this machine until the test ends. */
export async function startCuttingProxy(
  serverPort: number,
  { cutAt = () => null, onSilenced = () => undefined }: CuttingProxyOptions = {},
): Promise<CuttingProxy> {
  const open = new Set<() => void>();
  let made = 0;
  let isSilent = false;
  const decide = (sent: string): Cut | null => {
    const cut = isSilent ? "silenced" : cutAt(sent);
    if (cut === "silenced") onSilenced();
    return cut;
  };
  const proxy = createServer((client) => {
    made += 1;
    const server = connect(serverPort, "127.0.0.1");
    const sockets: readonly Socket[] = [client, server];
    const end = () => {
      open.delete(end);
      for (const socket of sockets) socket.destroy();
    };
    open.add(end);
    for (const socket of sockets) socket.on("error", end).on("close", end);
    let state: Cut | null = null;
    client.on("data", (chunk) => {
      state ??= decide(chunk.toString("latin1"));
      if (state === "now") end();
      else if (state !== "silenced") server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (state === "at the answer") end();
      else if (state === null) client.write(chunk);
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
  return {
    port: (proxy.address() as AddressInfo).port,
    cut,
    silence: () => {
      isSilent = true;
    },
    restore: () => {
      isSilent = false;
    },
    connections: () => ({ made, open: open.size }),
  };
}
