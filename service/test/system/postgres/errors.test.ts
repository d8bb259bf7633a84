import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocketOptions } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../../test/api/network/peers.js";
import { createHarness } from "../../../../test/support/harness.js";
import { createInstallation } from "../../../../test/support/spawned.js";
import { openService } from "../../../service.js";
import { createCertificate } from "../../support/certificate.js";
import { eventBody, KEEP } from "../../support/event-bodies.js";
import { type PostgresServer, startPostgres } from "../../support/postgres-server.js";
import { request } from "../../support/send.js";
import { startTlsOnlyServer } from "../../support/tls-only-server.js";
import { createWorld } from "../../support/world.js";

/** What an operator sees of a database that cannot be used, and that no message has a password. */

const PASSWORD = "sentinel-7c1f";

const certificate = createCertificate({ names: ["db.example"] });

let server: PostgresServer;
let folder: string;
let authority: string;

beforeAll(async () => {
  server = await startPostgres({
    tls: certificate,
    // It is its own authority, and of the certificates of clients.
    settings: ["ssl_ca_file = 'server.crt'"],
    access: [
      "hostssl all tls_only 127.0.0.1/32 trust",
      "host all tls_only 127.0.0.1/32 reject",
      "host all guarded 127.0.0.1/32 scram-sha-256",
    ],
  });
  await server.query(`
    create role guarded login password '${PASSWORD}';
    create role tls_only login;
    create role reader login;
    create schema foreign_tables;
    create table foreign_tables.things (id int);
    create schema empty_mark;
    create table empty_mark.calctl_schema (version int, compatible_since int);
    create schema newer;
    create table newer.calctl_schema (version int, compatible_since int);
    insert into newer.calctl_schema values (10000, 10000);
    create schema half;
    create table half.calctl_schema (version int, compatible_since int);
    insert into half.calctl_schema values (9999, 1);
    grant create on database calctl to guarded, tls_only`);
  await server.query(
    "create database latin encoding 'LATIN1' locale_provider libc locale 'C' template template0",
  );
  folder = mkdtempSync(join(tmpdir(), "calctl-postgres-"));
  authority = join(folder, "root.crt");
  writeFileSync(authority, certificate.cert);
  writeFileSync(join(folder, "empty.crt"), "\n");
  const client = createCertificate({ subject: "client" });
  writeFileSync(join(folder, "me.crt"), client.cert);
  writeFileSync(join(folder, "me.key"), client.key);
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const HINTS = {
  server: "check that PostgreSQL runs there and answers, and host and port of the URL",
  password: "check user and password of the URL, PGPASSWORD or the password file",
  certificate: "add its authority to the URL: sslrootcert=FILE",
  tls: "check the certificates of the server and the URL, and that host and port",
  foreign: "choose an empty database, or a schema of its own",
};

/** Runs a command on a database of the server. */
async function list(changes: { readonly url?: string; readonly env?: Readonly<Record<string, string>> }) {
  const { url = server.url(), env = {} } = changes;
  const { runWith } = await createHarness();
  return runWith({ env: { CALCTL_SERVICE_DB: url, ...env } }, "service", "users", "list");
}

const at = (rest: string) => `postgres://calctl:${PASSWORD}@127.0.0.1:${server.port}/${rest}`;

describe("exit 10 says what to do", () => {
  test.for<[string, () => string, string, string]>([
    ["a wrong URL", () => at(""), "it names no database", "write postgres://USER@HOST:PORT/DATABASE"],
    [
      "a password with a slash",
      () => `postgres://calctl:7/${PASSWORD}@127.0.0.1:${server.port}/calctl`,
      "has a character that must be encoded",
      "/ %2F",
    ],
    [
      "a password with a question mark",
      () => `postgres://calctl:1?${PASSWORD}@127.0.0.1:${server.port}/calctl`,
      "has a character that must be encoded",
      "? %3F",
    ],
    ["no such database", () => at("nothing"), 'database "nothing" does not exist', "create it: createdb"],
    ["an empty database", () => at("calctl"), "is empty", "check --db, or create its tables"],
    [
      "another program's tables",
      () => at("calctl?schema=foreign_tables"),
      "is not a database of calctl",
      HINTS.foreign,
    ],
    [
      "a mark without a version",
      () => at("calctl?schema=empty_mark"),
      "is incomplete: it lacks the row of calctl_schema",
      "restore it",
    ],
    [
      "only a part of the tables",
      () => at("calctl?schema=half"),
      "is incomplete: it lacks the tables users, calendars",
      "restore it",
    ],
    [
      "a newer program's tables",
      () => at("calctl?schema=newer"),
      "was migrated by a newer calctl",
      "update calctl",
    ],
    ["another encoding", () => at("latin"), "its encoding LATIN1", "createdb -E UTF8"],
    [
      "a wrong password",
      () => `postgres://guarded:${PASSWORD}x@127.0.0.1:${server.port}/calctl`,
      'password authentication failed for user "guarded"',
      HINTS.password,
    ],
    [
      "no password",
      () => `postgres://guarded@127.0.0.1:${server.port}/calctl`,
      'password authentication failed for user "guarded"',
      HINTS.password,
    ],
    [
      "an untrusted certificate",
      () => at("calctl?sslmode=verify-full"),
      "self-signed certificate",
      HINTS.certificate,
    ],
    [
      "a certificate of another host",
      () => at(`calctl?sslmode=verify-full&sslrootcert=${authority}`),
      "does not match certificate's altnames",
      "write a name of the certificate as the host of the URL",
    ],
    [
      "an authority that is not a certificate",
      () => at(`calctl?sslmode=verify-full&sslrootcert=${join(folder, "empty.crt")}`),
      "self-signed certificate",
      HINTS.certificate,
    ],
    [
      "a client's certificate that the server does not know",
      () => at(`calctl?sslmode=require&sslcert=${join(folder, "me.crt")}&sslkey=${join(folder, "me.key")}`),
      "alert unknown ca",
      HINTS.tls,
    ],
    [
      "a key of another certificate",
      () => at(`calctl?sslmode=require&sslcert=${authority}&sslkey=${join(folder, "me.key")}`),
      "sslrootcert, sslcert or sslkey cannot be used (ERR_OSSL_X509_KEY_VALUES_MISMATCH)",
      "give files in PEM format",
    ],
    [
      "a server that wants TLS",
      () => `postgres://tls_only@127.0.0.1:${server.port}/calctl`,
      "no encryption",
      "pg_hba.conf",
    ],
    [
      "an unknown host",
      () => `postgres://calctl:${PASSWORD}@nothing.invalid/calctl`,
      "getaddrinfo ENOTFOUND nothing.invalid",
      HINTS.server,
    ],
    [
      "no socket",
      () => `postgres://calctl:${PASSWORD}@/calctl?host=/nowhere`,
      "connect ENOENT /nowhere/.s.PGSQL.5432",
      HINTS.server,
    ],
  ])("about %s", async ([, url, problem, hint]) => {
    const { exitCode, stdout, stderr } = await list({ url: url() });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 10,
      stdout: "",
      stderr: expect.stringContaining(problem),
    });
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain("sentinel");
  });

  test.each<[string, TLSSocketOptions | string, string, string]>([
    [
      "an expired certificate",
      createCertificate({ authority: certificate, until: "210101000000Z" }),
      "certificate has expired",
      HINTS.tls,
    ],
    [
      "a certificate of the future",
      createCertificate({ authority: certificate, from: "480101000000Z" }),
      "certificate is not yet valid",
      HINTS.tls,
    ],
    [
      "a server that goes on without TLS",
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      "wrong version number",
      HINTS.tls,
    ],
    [
      "a server whose TLS is too old",
      { ...certificate, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" },
      "alert protocol version",
      HINTS.tls,
    ],
  ])("about %s", async (_, answer, problem, hint) => {
    const peer = await startTlsOnlyServer(answer);
    onTestFinished(() => peer.close());
    const url = `postgres://calctl@localhost:${peer.port}/calctl?sslmode=verify-full&sslrootcert=${authority}`;
    const { exitCode, stderr } = await list({ url });
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining(problem) });
    expect(stderr).toContain(hint);
  });

  test("about a server that is away", async () => {
    const url = `postgres://calctl:${PASSWORD}@127.0.0.1:${await freePort()}/calctl`;
    const { exitCode, stderr } = await list({ url });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 10,
      stderr: expect.stringContaining("connect ECONNREFUSED"),
    });
    expect(stderr).toContain(HINTS.server);
  });

  test("and a trace has no password either", async () => {
    const { runWith } = createInstallation();
    const url = `postgres://guarded:${PASSWORD}x@127.0.0.1:${server.port}/calctl`;
    const argv = ["service", "start", "--port", "0", "--log", "json", "--debug", "--db", url];
    const { exitCode, stderr } = await runWith({ env: { PGPASSWORD: PASSWORD } }, ...argv);
    expect(exitCode).toBe(10);
    expect(stderr).not.toContain("sentinel");
  });
});

describe("the password", () => {
  const guarded = () => `postgres://guarded@127.0.0.1:${server.port}/calctl?schema=guarded`;

  test("can be in PGPASSWORD, in a file, and in a URL, which is noted on a command line", async () => {
    const { runWith, home } = createInstallation();
    const add = (name: string, env: Record<string, string>, db: readonly string[] = []) =>
      runWith({ env: { CALCTL_SERVICE_DB: guarded(), ...env } }, "service", "users", "add", name, ...db);
    const created = await add("Ana", { PGPASSWORD: PASSWORD });
    expect(created).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("created the database postgres://guarded@"),
    });
    const file = join(home, "passwords");
    writeFileSync(file, `127.0.0.1:${server.port}:calctl:guarded:${PASSWORD}\n`);
    chmodSync(file, 0o600);
    const unseen = { exitCode: 0, stderr: expect.not.stringMatching(/can see|DeprecationWarning/) };
    expect(await add("Ben", { PGPASSFILE: file })).toMatchObject(unseen);
    const url = new URL(guarded());
    url.password = PASSWORD;
    expect(await add("Cleo", { CALCTL_SERVICE_DB: url.href })).toMatchObject(unseen);
    const seen = await add("Dan", {}, ["--db", url.href]);
    expect(seen).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("can see the password of --db"),
    });
    expect(seen.stderr).not.toContain(PASSWORD);
  });
});

test("TLS is used when the certificate is checked", async () => {
  const url = `postgres://tls_only@localhost:${server.port}/calctl?schema=tls&sslmode=verify-full&sslrootcert=${authority}`;
  const { runWith } = createInstallation();
  const added = await runWith({ env: { CALCTL_SERVICE_DB: url } }, "service", "users", "add", "Ana");
  expect(added).toMatchObject({ exitCode: 0 });
});

test("a role that may not read, or only read, is told that it lacks a privilege", async () => {
  const world = await createWorld({ database: server.url({ schema: "readable" }) });
  await world.service.close();
  const { runWith } = createInstallation();
  const env = { CALCTL_SERVICE_DB: `postgres://reader@127.0.0.1:${server.port}/calctl?schema=readable` };
  const refused = {
    exitCode: 10,
    stderr: expect.stringMatching(/permission denied .*\nhint: use a role that owns its tables\n$/),
  };
  const list = () => runWith({ env }, "service", "users", "list");
  await server.query("grant usage on schema readable to reader");
  expect(await list()).toMatchObject(refused);
  await server.query("grant select on all tables in schema readable to reader");
  expect(await list()).toMatchObject({ exitCode: 0 });
  expect(await runWith({ env }, "service", "users", "add", "x")).toMatchObject(refused);
  const reading = await openService({ database: env.CALCTL_SERVICE_DB, now: Date.now, rateLimit: null });
  onTestFinished(() => reading.close());
  const request = { method: "GET", target: "/readyz", headers: {}, body: new Uint8Array() };
  const { status } = await reading.handle(request, { kind: "network", address: "192.0.2.1" });
  expect(status).toBe(503);
});

test("a service whose server is read-only for a while is not ready, and writes again afterwards", async () => {
  const own = await startPostgres();
  onTestFinished(() => own.close());
  const world = await createWorld({ database: own.url() });
  onTestFinished(() => world.service.close());
  const send = async (method: string, target: string, body?: object) =>
    (await request(world, `${method} ${target}`, { body })).status;
  const statuses = async () => {
    // An answer of /readyz holds for a second.
    world.clock.now += 1_000;
    return [
      await send("POST", `/calendars/${world.calendarId}/events`, eventBody(KEEP)),
      await send("GET", "/readyz"),
      await send("GET", "/user"),
    ];
  };
  expect(await statuses()).toEqual([201, 200, 200]);
  await own.query("alter database calctl set default_transaction_read_only = on", "postgres");
  await own.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'calctl'",
    "postgres",
  );
  expect(await statuses()).toEqual([503, 503, 200]);
  await own.query("alter database calctl reset default_transaction_read_only", "postgres");
  // Each connection that was made meanwhile fails once.
  await expect.poll(statuses).toEqual([201, 200, 200]);
  expect(world.errors).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining("read-only") }),
  );
});

test("a service whose server goes away answers 503, and goes on when it is back", async () => {
  const own = await startPostgres();
  onTestFinished(() => own.close());
  const world = await createWorld({ database: own.url() });
  onTestFinished(() => world.service.close());
  const get = async (target: string) => {
    const { status, headers } = await request(world, `GET ${target}`);
    return [status, headers["retry-after"]];
  };
  expect(await get("/user")).toEqual([200, undefined]);
  for (const mode of ["fast", "immediate"] as const) {
    await own.halt(mode);
    // An answer of /readyz holds for a second.
    world.clock.now += 1_000;
    expect(await get("/user")).toEqual([503, "1"]);
    expect(await get("/readyz")).toEqual([503, "1"]);
    expect(await get("/healthz")).toEqual([200, undefined]);
    await own.start();
    world.clock.now += 1_000;
    expect(await get("/user")).toEqual([200, undefined]);
    expect(await get("/readyz")).toEqual([200, undefined]);
  }
  expect(world.errors).toEqual(
    Array.from({ length: 4 }, () => expect.objectContaining({ code: "configuration" })),
  );
});

test("a service whose database a newer program migrates says so and ends", async () => {
  const { start } = createInstallation({ CALCTL_SERVICE_DB: server.url({ schema: "superseded" }) });
  const node = start("service", "start", "--port", "0", "-o", "json");
  const { base_url } = JSON.parse(await node.stdoutWith("\n"));
  expect((await fetch(`${base_url}/readyz`)).status).toBe(200);
  await server.query("update superseded.calctl_schema set version = 10000, compatible_since = 10000");
  await expect.poll(async () => (await fetch(`${base_url}/readyz`)).status).toBe(503);
  const { exitCode, stderr } = await node.ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 10,
    stderr: expect.stringContaining("was migrated by a newer calctl"),
  });
  expect(stderr).toContain("update calctl on this node");
});
