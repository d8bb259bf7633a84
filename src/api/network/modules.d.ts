// The parts of undici that are loaded: its whole package costs twice their start-up time.
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
declare module "undici/lib/dispatcher/pool.js" {
  export { Pool as default } from "undici";
}
declare module "undici/lib/core/connect.js" {
  import type { Socket } from "node:net";
  import type { buildConnector } from "undici";

  /** Opens a socket, and calls back once it stands: for https when TLS is agreed. */
  type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
  const createConnect: (options: buildConnector.BuildOptions) => Connect;
  export default createConnect;
}
declare module "undici/lib/api/api-connect.js" {
  import type { Dispatcher } from "undici";

  /** Asks a proxy for a tunnel. */
  const connect: (this: Dispatcher, options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;
  export default connect;
}
declare module "undici/lib/dispatcher/proxy-agent.js" {
  import type { Agent, buildConnector, Dispatcher } from "undici";

  /** What it asks of the client that talks to the proxy itself. */
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
