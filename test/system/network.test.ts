import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, test } from "vitest";
import { type Certificate, createCertificate } from "../../service/test/support/certificate.js";
import { listen } from "../api/network/peers.js";
import { startConnectProxy } from "../support/connect-proxy.js";
import { createInstallation, type Installation } from "../support/spawned.js";

/** The built program over TLS and proxies: Node reads NODE_EXTRA_CA_CERTS when it starts, and only then. */

interface Served {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly token: string;
}

function write({ home }: Installation, name: string, text: string): string {
  const path = join(home, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** The embedded service behind a certificate. */
async function serve({ cert, key }: Certificate): Promise<Served> {
  const installation = createInstallation();
  const tls = ["--tls-cert", write(installation, "cert", cert), "--tls-key", write(installation, "key", key)];
  const running = installation.start(
    ...["service", "start", "--memory", "--sample", "--port", "0", "-o", "json", ...tls],
  );
  const { base_url: url, token } = JSON.parse(await running.stdoutWith("\n"));
  return { host: new URL(url).host, token };
}

/** A machine that trusts one more certificate, unless that is null. */
function createClient({ host, token }: Served, trusted: Certificate | null): Installation {
  const files = createInstallation();
  return createInstallation({
    CALCTL_BASE_URL: `https://${host.replace("127.0.0.1", "localhost")}`,
    CALCTL_TOKEN: token,
    ...(trusted === null ? {} : { NODE_EXTRA_CA_CERTS: write(files, "authority", trusted.cert) }),
  });
}

const CREATE = ["events", "create", "-c", "Family", "--title", "T", "--start", "2026-11-21T12:00"];
const CREATE_HOUR = [...CREATE, "--duration", "1h", "--fields", "title"];

describe("a certificate of a private authority", () => {
  const authority = createCertificate({ subject: "test authority" });

  test.each([
    ["signed by itself", () => createCertificate(), (own: Certificate) => own],
    ["signed by it", () => createCertificate({ authority }), () => authority],
  ])("C9 %s: NODE_EXTRA_CA_CERTS makes it trusted", async (_, create, trust) => {
    const certificate = create();
    const served = await serve(certificate);
    const refused = await createClient(served, null).run("whoami");
    expect(refused).toMatchObject({ exitCode: 10, stdout: "" });
    expect(refused.stderr).toMatch(/the certificate (?:chain )?of localhost:\d+ .*\n.*NODE_EXTRA_CA_CERTS/);
    const { run } = createClient(served, trust(certificate));
    expect(await run("whoami")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await run(...CREATE_HOUR)).toMatchObject({ exitCode: 0, stdout: "T\n" });
  });

  test("for another host is rejected and reported", async () => {
    const certificate = createCertificate({ subject: "other.example" });
    const { exitCode, stderr } = await createClient(await serve(certificate), certificate).run(
      ...CREATE_HOUR,
    );
    expect(exitCode).toBe(10);
    expect(stderr).toMatch(/the certificate of localhost:\d+ is for other\.example\n.*check the host name/);
  });

  test("a service that requires a client certificate hangs up after the handshake", async () => {
    const certificate = createCertificate();
    const server = createTlsServer({ ...certificate, requestCert: true, rejectUnauthorized: true });
    server.on("tlsClientError", () => undefined);
    const { run } = createClient({ host: await listen(server), token: "token" }, certificate);
    const { exitCode, stderr } = await run("whoami", "--retries", "0");
    expect(exitCode).toBe(8);
    expect(stderr).toMatch(/localhost:\d+ closed the connection without a response/);
  });
});

describe("a proxy", () => {
  const certificate = createCertificate({ subject: "calendar.invalid" });

  /** A machine from which calendar.invalid, which is no host, is reached through a proxy. */
  async function createBehindProxy(env: (proxy: string) => Readonly<Record<string, string>>) {
    const served = await serve(certificate);
    const proxy = await startConnectProxy({ target: served.host });
    const client = createClient({ ...served, host: "calendar.invalid" }, certificate);
    return { proxy, token: served.token, client: createInstallation({ ...client.env, ...env(proxy.host) }) };
  }

  test("leads to the service, whose certificate is verified", async () => {
    const { proxy, client } = await createBehindProxy((host) => ({
      https_proxy: `http://ana:p%40ss@${host}`,
    }));
    expect(await client.run("whoami")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await client.run(...CREATE_HOUR)).toMatchObject({ exitCode: 0, stdout: "T\n" });
    const authorization = `Basic ${Buffer.from("ana:p@ss").toString("base64")}`;
    expect(proxy.requests[0]).toEqual({ target: "calendar.invalid:443", authorization });
  });

  test("is itself reached over TLS if its URL is https", async () => {
    const own = createCertificate();
    const served = await serve(certificate);
    const proxy = await startConnectProxy({ target: served.host, certificate: own });
    const both = { ...own, cert: own.cert + certificate.cert };
    const { env } = createClient({ ...served, host: "calendar.invalid" }, both);
    const https = `https://${proxy.host.replace("127.0.0.1", "localhost")}`;
    const { run } = createInstallation({ ...env, HTTPS_PROXY: https });
    expect(await run("whoami")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(proxy.requests).toHaveLength(1);
  });

  test("is used by login as well", async () => {
    const { proxy, token, client } = await createBehindProxy((host) => ({ ALL_PROXY: host }));
    const login = ["login", "--with-token", "--insecure-storage", "--base-url", "https://calendar.invalid"];
    const { CALCTL_BASE_URL, CALCTL_TOKEN, ...env } = client.env;
    const newcomer = createInstallation(env);
    expect(await newcomer.runWith({ stdin: token }, ...login)).toMatchObject({ exitCode: 0 });
    expect(proxy.requests).toHaveLength(1);
  });

  test("that cannot be used is reported with its variable and without its password", async () => {
    const { client } = await createBehindProxy(() => ({ HTTPS_PROXY: "http://ana:sEcret@localhost:port" }));
    const { exitCode, stderr, stdout } = await client.run("whoami", "--verbose", "--debug");
    expect(exitCode).toBe(10);
    expect(stderr).toContain('HTTPS_PROXY: "…@localhost:port" is not a URL');
    expect(stderr + stdout).not.toContain("sEcret");
  });

  test("is not used by the profile local", async () => {
    const { run } = createInstallation({ ALL_PROXY: "socks5://proxy.invalid" });
    expect(await run("whoami")).toMatchObject({ exitCode: 0 });
  });
});
