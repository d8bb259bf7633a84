import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Certificate, type Connection, openConnection } from "./fault-connection.js";
import { type Exchange, type ReceivedRequest, reply, type Script } from "./fault-steps.js";
import { type ByteReader, parseHead, type RequestHead, readBody } from "./http-bytes.js";
import { whenFinished } from "./shared.js";
import { passTime, type VirtualTimers } from "./virtual-timers.js";

/** One connection as the server saw it. */
interface ReceivedConnection {
  /** Every byte received, decrypted. */
  readonly received: Buffer;
}

/** A request with the exact bytes sent in response. */
interface RecordedRequest extends ReceivedRequest {
  readonly answered: Buffer;
}

/** A server on 127.0.0.1 that runs a script for each request, and records everything it receives. */
export interface FaultServer {
  /** Host and port. */
  readonly host: string;
  readonly baseUrl: string;
  readonly connections: ReceivedConnection[];
  /** In the order in which their heads arrived. */
  readonly requests: RecordedRequest[];
  /**
   * Plays scripts for requests of `METHOD /path`, whatever the query, one a request; the last one stays.
   * Calling it again replaces them.
   */
  on(methodAndPath: string, ...scripts: readonly Script[]): void;
  /** Plays scripts for the next requests, whatever they are, one a request. */
  next(...scripts: readonly Script[]): void;
  /** Plays a script for requests without another one. Without it, such a request fails the test. */
  otherwise(script: Script): void;
  /** Plays scripts for the next connections before anything is read from them; its request is empty. */
  onConnection(...scripts: readonly Script[]): void;
  /** Number of requests of `METHOD /path`. */
  count(methodAndPath: string): number;
  /** Clears the recording; scripts stay. */
  forget(): void;
  /** Accepts connections again, at the same port. */
  comeBack(): Promise<void>;
}

export interface FaultServerOptions {
  /** With it the server speaks TLS. */
  readonly tls?: Certificate;
  /** The peer's timers, which advance while the server hangs; real time by default. */
  readonly timers?: VirtualTimers;
}

/** Listens until the test ends. */
export async function startFaultServer({ tls, timers }: FaultServerOptions = {}): Promise<FaultServer> {
  const sockets = new Set<Socket>();
  const state = createState();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (raw) => {
    sockets.add(raw);
    raw.on("close", () => sockets.delete(raw));
    void converse(openConnection(raw, tls), { server, state, timers });
  });
  await listen(server, 0);
  whenFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await leave(server);
    if (state.unexpected.length > 0) throw new Error(`nobody expected ${state.unexpected.join(", ")}`);
  });
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return {
    host,
    baseUrl: `${tls === undefined ? "http" : "https"}://${host}`,
    connections: state.connections,
    requests: state.requests,
    on: (methodAndPath, ...scripts) => void state.routes.set(methodAndPath, [...scripts]),
    next: (...scripts) => void state.queue.push(...scripts),
    otherwise(script) {
      state.fallback = script;
    },
    onConnection: (...scripts) => void state.greetings.push(...scripts),
    count: (methodAndPath) => state.requests.filter((request) => nameOf(request) === methodAndPath).length,
    forget() {
      state.connections.splice(0);
      state.requests.splice(0);
    },
    comeBack: () => listen(server, port),
  };
}

interface State {
  readonly connections: { received: Buffer }[];
  readonly requests: Recording[];
  readonly routes: Map<string, Script[]>;
  readonly queue: Script[];
  readonly greetings: Script[];
  readonly unexpected: string[];
  fallback: Script | undefined;
}

type Recording = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };

function createState(): State {
  return {
    connections: [],
    requests: [],
    routes: new Map(),
    queue: [],
    greetings: [],
    unexpected: [],
    fallback: undefined,
  };
}

interface Conversation {
  readonly server: Server;
  readonly state: State;
  readonly timers: VirtualTimers | undefined;
}

async function converse(connection: Connection, { server, state, timers }: Conversation): Promise<void> {
  const { stream, reader } = connection;
  const record = { received: Buffer.alloc(0) };
  const index = state.connections.push(record) - 1;
  stream.on("data", (bytes: Buffer) => {
    record.received = Buffer.concat([record.received, bytes]);
  });
  const greeting = state.greetings.shift();
  if (greeting !== undefined) {
    const nothing = createRecording({ method: "", target: "", headers: {} }, index);
    await play(
      greeting,
      createExchange({ connection, server, timers, recording: nothing, receive: async () => undefined }),
    );
  }
  for (;;) {
    const head = await reader.through("\r\n\r\n");
    if (head === null) {
      stream.end();
      return;
    }
    const recording = createRecording(parseHead(head), index);
    state.requests.push(recording);
    const receive = createReceiver(recording, reader);
    await play(pick(recording, state), createExchange({ connection, server, timers, recording, receive }));
    await receive();
  }
}

function createRecording(head: RequestHead, connection: number): Recording {
  const url = new URL(head.target, "http://127.0.0.1");
  return {
    ...head,
    connection,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: Buffer.alloc(0),
    answered: Buffer.alloc(0),
  };
}

/** Reads the body once, on the first call. */
function createReceiver(recording: Recording, reader: ByteReader): () => Promise<void> {
  let reading: Promise<void> | undefined;
  return () => {
    reading ??= readBody(recording, reader).then((body) => {
      recording.body = body ?? recording.body;
    });
    return reading;
  };
}

function pick(request: ReceivedRequest, state: State): Script {
  const queued = state.queue.shift();
  if (queued !== undefined) return queued;
  const scripts = state.routes.get(nameOf(request)) ?? [];
  const script = (scripts.length > 1 ? scripts.shift() : scripts[0]) ?? state.fallback;
  if (script !== undefined) return script;
  state.unexpected.push(nameOf(request));
  return [reply({ status: 501 })];
}

function nameOf({ method, path }: ReceivedRequest): string {
  return `${method} ${path}`;
}

async function play(script: Script, exchange: Exchange): Promise<void> {
  for (const step of script) await step(exchange);
}

interface Playing {
  readonly connection: Connection;
  readonly server: Server;
  readonly timers: VirtualTimers | undefined;
  readonly recording: Recording;
  readonly receive: () => Promise<void>;
}

function createExchange({ connection, server, timers, recording, receive }: Playing): Exchange {
  const { raw, stream, gone } = connection;
  return {
    request: recording,
    receive,
    gone,
    async write(bytes) {
      recording.answered = Buffer.concat([recording.answered, bytes]);
      await Promise.race([new Promise<void>((resolve) => stream.write(bytes, () => resolve())), gone]);
    },
    halfClose: () => void stream.end(),
    close: () => stream.destroySoon(),
    reset: () => void raw.resetAndDestroy(),
    leave: () => leave(server),
    async outlast() {
      if (timers !== undefined) await passTime(timers, gone);
      await gone;
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Open connections stay open: `close` would wait for them. */
function leave(server: Server): Promise<void> {
  server.close();
  return Promise.resolve();
}
