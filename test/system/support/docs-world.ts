import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { ServiceSample } from "../../../service/admin/sample.js";
import { createRequestListener } from "../../../service/http/request-listener.js";
import { openService, type Service } from "../../../service/service.js";
import { createBrowser } from "../../../service/test/oauth/support/browser.js";
import { createCertificate } from "../../../service/test/support/certificate.js";
import { runSql } from "../../../service/test/support/database.js";
import { freePort, listen } from "../../api/network/peers.js";
import { startConnectProxy } from "../../support/connect-proxy.js";
import { createInstallation, type Installation, PROGRAM } from "../../support/spawned.js";
import { systemPart } from "../../support/system-parts.js";

/** The machine of a reader of the docs, from which `https://calendar.example` can be reached. */
export interface DocsWorld extends Installation {
  readonly sample: ServiceSample;
  /** Replaces the addresses and folders in a page by those of this test. */
  place(text: string): string;
  /** The calls of the stub programs, one per line. */
  calls(): string;
  /** Does what a user does in the browser: signs in at the address and allows access. */
  allowAccess(address: string): Promise<void>;
  /** What was posted to a chat. */
  readonly posted: readonly string[];
  /** The paths of the pings that arrived: none without curl. */
  readonly pings: readonly string[];
  /** Responds to the next request with this status. */
  failOnce(status: number): void;
}

/** The host of a chat, whose webhooks accept everything. */
const CHAT = "chat.example";
/** The host that is told of runs. */
const PING = "ping.example";

/** The host of a club, which publishes a calendar. */
const CLUB = "club.example";
export const PUBLISHED = [
  ...["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:match-1", "SUMMARY:Match"],
  ...["DTSTART:20311124T150000Z", "DTEND:20311124T170000Z", "END:VEVENT", "END:VCALENDAR", ""],
].join("\r\n");

export const ORIGIN = "https://calendar.example";
/** The service is below a path of the origin, as behind a proxy. */
const BASE_URL = `${ORIGIN}/api`;
/** As the pages call it. */
const CLIENT_ID = "my-client-id";

export async function createDocsWorld(env: Readonly<Record<string, string>> = {}): Promise<DocsWorld> {
  const folder = createInstallation().home;
  const { service, sample } = await openSampleService(join(folder, "service.db"));
  const front = await startFront(service, folder);
  const bin = join(folder, "bin");
  const installation = createInstallation({
    ...front.env,
    // The zone of the sample's days.
    TZ: "UTC",
    PATH: `${bin}:${process.env["PATH"]}`,
    SECRET_OF_YOUR_CI: sample.token,
    ...env,
  });
  installPrograms(bin, sample.token);
  writeFileSync(join(installation.home, "token-file"), `${sample.token}\n`, { mode: 0o600 });
  writeFileSync(join(installation.home, "url-file"), "https://chat.example/hooks/a-secret\n", {
    mode: 0o600,
  });
  writeFileSync(join(installation.home, "company-ca.pem"), readFileSync(join(folder, "certificate")));
  const places = new Map([
    ["/home/ana", installation.home],
    ["/usr/local/bin", bin],
    ["http://proxy.example:3128", front.env.HTTPS_PROXY],
    ["8787", String(await freePort())],
    ["8788", String(await freePort())],
  ]);
  const pattern = new RegExp([...places.keys()].join("|"), "g");
  return {
    ...installation,
    sample,
    place: (text) => text.replace(pattern, (found) => places.get(found) ?? found),
    calls: () => (existsSync(join(bin, "calls")) ? readFileSync(join(bin, "calls"), "utf8") : ""),
    async allowAccess(address) {
      const source = { kind: "network", address: "192.0.2.1", baseUrl: BASE_URL } as const;
      const { host } = new URL(ORIGIN);
      const browser = createBrowser((request) =>
        service.handle({ ...request, headers: { ...request.headers, host } }, source),
      );
      const { login, password } = sample.user;
      const page = await browser.open(address.slice(ORIGIN.length).replace(/^\/api/, ""));
      const signedIn = await browser.submit(page, "sign-in", { login, password });
      const allowed = await browser.submit(await browser.follow(signedIn), "allow");
      await fetch(allowed.headers["location"] ?? "");
    },
    posted: front.posted,
    pings: front.pings,
    failOnce: front.failOnce,
  };
}

async function openSampleService(database: string) {
  const service = await openService({
    database,
    passwordCost: { ln: 4, r: 1, p: 1 },
    now: Date.now,
    rateLimit: { limit: 600, windowSeconds: 600 },
  });
  onTestFinished(() => service.close());
  const { user, ...sample } = await service.admin.addSample();
  runSql(database, `UPDATE clients SET client_id = '${CLIENT_ID}'`);
  runSql(database, `UPDATE users SET name = 'Ana' WHERE id = '${user.id}'`);
  return { service, sample: { ...sample, user } };
}

/** Serves the service below `/api`, and a proxy that connects every host to it. */
async function startFront(service: Service, folder: string) {
  const certificate = createCertificate({ subject: new URL(ORIGIN).hostname, names: [CHAT, PING, CLUB] });
  const file = join(folder, "certificate");
  writeFileSync(file, certificate.cert);
  const api = createHttpServer();
  createRequestListener(service, { addressOf: () => "192.0.2.1", baseUrl: BASE_URL }).attach(api);
  let failure: number | null = null;
  const posted: string[] = [];
  const pings: string[] = [];
  const server = createServer(certificate, (request, response) => {
    if (request.headers.host === CHAT) return void takePost(request, response, posted);
    if (request.headers.host === CLUB) return void response.end(PUBLISHED);
    if (request.headers.host === PING) {
      pings.push(request.url ?? "");
      return void response.end();
    }
    request.url = request.url?.replace(/^\/api\//, "/") ?? "";
    if (failure === null) return void api.emit("request", request, response);
    response.writeHead(failure).end();
    failure = null;
  });
  const proxy = await startConnectProxy({ target: await listen(server) });
  return {
    posted,
    pings,
    env: { HTTPS_PROXY: `http://${proxy.host}`, NODE_EXTRA_CA_CERTS: file },
    failOnce(status: number) {
      failure = status;
    },
  };
}

async function takePost(request: IncomingMessage, response: ServerResponse, posted: string[]): Promise<void> {
  posted.push(await text(request));
  response.end("ok");
}

/** calctl as npm installs it, and stubs of the programs that must not run for real. */
function installPrograms(bin: string, token: string): void {
  mkdirSync(bin);
  symlinkSync(PROGRAM, join(bin, "calctl"));
  symlinkSync(process.execPath, join(bin, "node"));
  for (const [name, script] of Object.entries({
    ...RECORDED,
    pass: `echo ${token}`,
    docker: DOCKER,
    curl: CURL,
  })) {
    const record = `echo "${name} $*" >> "${join(bin, "calls")}"`;
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${record}\n${script}\n`, { mode: 0o755 });
  }
}

const RECORDED = { npm: "", ssh: "", sudo: "", crontab: "", podman: "" };

/** It knows no CA of Node's. */
const CURL = `exec ${systemPart("curl") ?? "true"} --cacert "$NODE_EXTRA_CA_CERTS" "$@"`;

/** Runs the command after the image in the environment of `-e`; a mounted path is the one on this machine. */
const DOCKER = `shift; variables=() mounts=()
while :; do case $1 in
  -e) variables+=("$2"); shift 2 ;;
  -v) mounts+=("$2"); shift 2 ;;
  -*) shift ;;
  *) break ;;
esac; done
shift
for mount in "\${mounts[@]}"; do
  IFS=: read -r source target _ <<<"$mount"
  case $source in /*) ;; *) source=$HOME/volumes/$source ;; esac
  variables=("\${variables[@]/$target/$source}")
done
exec env -i PATH="$PATH" HTTPS_PROXY="$HTTPS_PROXY" NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS" \
  "\${variables[@]}" "$@"`;
