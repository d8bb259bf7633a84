import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { freePort } from "../../../test/api/network/peers.js";
import { createFolderForOthers } from "../../../test/support/folder-for-others.js";
import { systemPart } from "../../../test/support/system-parts.js";
import type { Certificate } from "./certificate.js";

/** The role that every server of the tests has. It may do everything, from this machine, without a password. */
export const ROLE = "calctl";

/** A PostgreSQL server of the tests, with a cluster of its own in a temporary folder. */
export interface PostgresServer {
  readonly port: number;
  /** Of its Unix socket. */
  readonly folder: string;
  /** `postgres://…` of its database `calctl`. @param parameters after the `?` */
  url(parameters?: Readonly<Record<string, string>>): string;
  /** Runs SQL as the role that may do everything. */
  query(text: string, database?: string): Promise<void>;
  /** Ends it: `fast` closes the connections, `immediate` is like a crash. */
  halt(mode: "fast" | "immediate"): Promise<void>;
  /** Starts it again after `halt`. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
  /** Lines of pg_hba.conf before those that trust this machine. */
  readonly access?: readonly string[];
  /** Lets clients use TLS. */
  readonly tls?: Pick<Certificate, "cert" | "key">;
}

/** Creates a cluster whose language has another order than bytes, and starts its server. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const { settings = [], access = [], tls } = options;
  const folder = createFolderForOthers("calctl-postgres-");
  const data = join(folder, "data");
  const binaries = dirname(realpathSync(systemPart("postgres") ?? ""));
  const port = await freePort();
  const owner = ownerOf(folder);
  const create = spawnSync(
    join(binaries, "initdb"),
    [
      ...["--pgdata", data, "--username", ROLE, "--auth", "trust", "--no-sync", "--encoding", "UTF8"],
      ...["--locale-provider", "icu", "--icu-locale", "en", "--locale", "C.UTF-8"],
    ],
    { ...owner, encoding: "utf8", cwd: folder },
  );
  if (create.status !== 0) throw new Error(`initdb failed: ${create.stderr}`);
  const lines = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    "max_connections = 200",
    "shared_buffers = 32MB",
    // What was committed survives the end of the server, though not that of the machine.
    "fsync = off",
    "full_page_writes = off",
    ...(tls === undefined ? [] : ["ssl = on"]),
    ...settings,
  ];
  for (const [name, text] of [
    ["server.crt", tls?.cert],
    ["server.key", tls?.key],
  ] as const) {
    if (text === undefined) continue;
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (owner.uid !== undefined) chownSync(join(data, name), owner.uid, owner.uid);
  }
  writeFileSync(join(data, "postgresql.auto.conf"), `${lines.join("\n")}\n`);
  const hosts = ["local all all trust", "host all all 127.0.0.1/32 trust"];
  writeFileSync(join(data, "pg_hba.conf"), `${[...access, ...hosts].join("\n")}\n`);
  let server: ChildProcess | undefined;
  const start = async () => {
    server = spawn(join(binaries, "postgres"), ["-D", data], { ...owner, stdio: "ignore", cwd: folder });
    await awaitAnswer(server, { host: folder, port });
  };
  const halt = async (mode: "fast" | "immediate") => {
    if (server === undefined || hasEnded(server)) return;
    const ended = once(server, "exit");
    server.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  };
  await start();
  await run({ host: folder, port, database: "postgres" }, "create database calctl");
  return {
    port,
    folder,
    url: (parameters = {}) =>
      `postgres://${ROLE}@127.0.0.1:${port}/calctl?${new URLSearchParams(parameters)}`.replace(/\?$/, ""),
    query: (text, database = "calctl") => run({ host: folder, port, database }, text),
    halt,
    start,
    async close() {
      await halt("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server refuses to run as root, which then gives the folder to another user. */
export function ownerOf(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const { stdout } = spawnSync("id", ["-u", "nobody"], { encoding: "utf8" });
  const id = Number(stdout);
  mkdirSync(folder, { recursive: true });
  chownSync(folder, id, id);
  return { uid: id, gid: id };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly database?: string;
}

async function awaitAnswer(server: ChildProcess, address: Address): Promise<void> {
  for (;;) {
    try {
      return await run({ ...address, database: "postgres" }, "select 1");
    } catch (cause) {
      if (hasEnded(server)) throw new Error("postgres did not start", { cause });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function run(address: Address, text: string): Promise<void> {
  const client = new pg.Client({ user: ROLE, ...address });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end();
  }
}
