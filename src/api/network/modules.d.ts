// Only these parts of undici are loaded: the whole package takes twice as long.
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
declare module "undici/lib/dispatcher/pool.js" {
  export { Pool as default } from "undici";
}
declare module "undici/lib/core/connect.js" {
  import type { Socket } from "node:net";
  import type { buildConnector } from "undici";

  /** Opens a socket and calls back when it is connected, for https after the TLS handshake. */
  type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
  const createConnect: (options: buildConnector.BuildOptions) => Connect;
  export default createConnect;
}
declare module "undici/lib/api/api-connect.js" {
  import type { Dispatcher } from "undici";

  /** Requests a tunnel from a proxy. */
  const connect: (this: Dispatcher, options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;
  export default connect;
}
declare module "undici/lib/dispatcher/proxy-agent.js" {
  import type { Agent, buildConnector, Dispatcher } from "undici";

  /** The client that talks to the proxy itself. */
  interface TunnelClient {
    connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
    close(): Promise<void>;
    destroy(): Promise<void>;
  }
  interface ProxyAgentOptions extends Omit<Agent.Options, "factory" | "connect"> {
    readonly uri: string;
    /** Value of the header proxy-authorization. */
    readonly token?: string;
    readonly requestTls?: buildConnector.BuildOptions;
    readonly clientFactory: (origin: URL) => TunnelClient;
  }
  const ProxyAgent: new (options: ProxyAgentOptions) => Dispatcher;
  export default ProxyAgent;
}
