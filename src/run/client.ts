import { type ApiOptions, type Client, createApi } from "../api/client.js";
import type { PlannedRequest } from "../api/dry-run.js";
import type { UndiciTransport } from "../api/network/transport.js";
import type { SenderOptions } from "../api/sending/sender.js";
import { type HttpResponse, type Transport, withBearer } from "../api/transport.js";
import type { FetchUser } from "../auth/login.js";
import type { LimitedAccount } from "../cache/rate-limits.js";
import type { Environment } from "../config/environment.js";
import { parseServiceUrl } from "../config/profile-values.js";
import type { ProxyResolver } from "../config/proxy-settings.js";
import type { RunSettings } from "../config/run-settings.js";
import type { Settings } from "../config/settings.js";
import { CliError } from "../errors.js";
import type { Token } from "../secrets/environment-secret.js";
import { once } from "../system/clock.js";
import { createWaitDisplay } from "../terminal/messages.js";
import type { LocalService, Machine } from "./machine.js";

/** What all clients of a run share. */
export interface ClientDependencies {
  readonly machine: Machine;
  readonly flags: RunSettings;
  /** The writes that `--dry-run` has recorded. */
  readonly planned: PlannedRequest[];
  /** Writes the lines of one trace entry to stderr. */
  readonly trace: (lines: readonly string[]) => void;
}

export interface ServiceClientOptions {
  readonly settings: Settings;
  /** Null without one. */
  readonly token: () => Promise<Token | null>;
  readonly localService: () => Promise<LocalService>;
}

/** Whether nothing is said of what did not fail: a scheduler would mail it. */
export function isSilentJob({ machine, flags }: Pick<ClientDependencies, "machine" | "flags">): boolean {
  return flags.isJob && !flags.verbose && !machine.stderr.isTerminal;
}

/** The client of the service: the embedded one in this process, or one over the network. */
export async function createServiceClient(
  { settings, ...options }: ServiceClientOptions,
  client: ClientDependencies,
): Promise<Client> {
  const token = await options.token();
  if (settings.service.kind === "local") {
    const transport = await traceIfVerbose(createInProcessTransport(await options.localService()), client);
    return createClient({ transport, baseUrl: new URL(LOCAL_BASE_URL) }, null, client);
  }
  const { baseUrl, mediaType } = settings.service;
  const url = parseServiceUrl(baseUrl.value, baseUrl.source);
  if (token === null) throw notSignedIn(url);
  return createRemoteClient(
    { transport: await openTransport(client), baseUrl: url, mediaType },
    token,
    client,
  );
}

type Service = Pick<ApiOptions, "transport" | "baseUrl" | "mediaType" | "tokenSource">;

/** @param account null for `local`, which has no rate limit */
async function createClient(
  service: Service,
  account: LimitedAccount | null,
  client: ClientDependencies,
): Promise<Client> {
  const options = await createSenderOptions(client, account);
  const dryRun = client.flags.dryRun ? await import("../api/dry-run.js") : null;
  return createApi({
    ...options,
    ...service,
    mask: client.machine.redactor.mask,
    withDryRun:
      dryRun === null ? undefined : (send) => dryRun.withDryRun(send, service.baseUrl, client.planned),
  });
}

async function createRemoteClient(
  service: Service,
  { value: token, source }: Pick<Token, "value"> & Partial<Token>,
  client: ClientDependencies,
): Promise<Client> {
  const transport = withBearer(service.transport, token);
  const { origin } = service.baseUrl;
  return createClient({ ...service, transport, tokenSource: source }, { token, origin }, client);
}

/** Fetches users over one transport. */
export function createFetchUser(transport: () => Promise<Transport>, client: ClientDependencies): FetchUser {
  return async (value, service) => {
    const remote = { ...service, transport: await transport() };
    return (await createRemoteClient(remote, { value }, client)).getCurrentUser();
  };
}

function notSignedIn(url: URL): CliError {
  return new CliError("not_signed_in", `not signed in to ${url.origin}`, {
    hint: "run calctl login, or set CALCTL_TOKEN to a personal access token",
  });
}

export interface TransportChoices {
  /** Largest response body in bytes; 32 MiB by default. */
  readonly maxResponseSize?: number;
  /** How `--verbose` and `--debug` name a URL; as it is by default. */
  readonly nameUrl?: (url: string) => string;
}

/** The transport over sockets; undici is loaded only here. */
export async function openTransport(
  client: ClientDependencies,
  { maxResponseSize, nameUrl }: TransportChoices = {},
): Promise<Transport> {
  const { send } = await createTransport(client, maxResponseSize === undefined ? {} : { maxResponseSize });
  return traceIfVerbose(send, client, nameUrl);
}

/** Opens a connection to a URL, and sends nothing. @throws TransportError; the reason of an interruption */
export async function openConnection(client: ClientDependencies, url: string): Promise<void> {
  const { connect } = await createTransport(client);
  await connect(url, client.machine.signal());
}

async function createTransport(
  { machine, flags }: ClientDependencies,
  options: Pick<TransportChoices, "maxResponseSize"> = {},
): Promise<UndiciTransport> {
  const [{ createUndiciTransport }, proxyFor] = await Promise.all([
    import("../api/network/transport.js"),
    loadProxies(machine.env),
  ]);
  const transport = createUndiciTransport({
    ...options,
    timeout: flags.timeout,
    setTimer: machine.setTimer,
    ...(proxyFor !== undefined && { proxyFor }),
  });
  machine.resources.add(transport.close);
  return transport;
}

/** Undefined without a variable that names a proxy, as on most machines. */
async function loadProxies(env: Environment): Promise<ProxyResolver | undefined> {
  if (!Object.keys(env).some((name) => /_proxy$/i.test(name))) return undefined;
  return (await import("../config/proxy-settings.js")).createProxyResolver(env);
}

/** With `--verbose` writes one line per attempt to stderr, with `--debug` whole requests and responses. */
async function traceIfVerbose(
  transport: Transport,
  { machine, flags, trace }: ClientDependencies,
  nameUrl = nameServiceUrl,
): Promise<Transport> {
  if (!flags.verbose && !flags.debug) return transport;
  const { withTrace } = await import("../api/trace/trace.js");
  return withTrace(transport, {
    now: machine.clock.now,
    write: trace,
    nameUrl,
    mask: machine.redactor.mask,
    details: flags.debug,
    timed: flags.isJob,
  });
}

function nameServiceUrl(url: string): string {
  return url.startsWith(LOCAL_BASE_URL) ? `local /${url.slice(LOCAL_BASE_URL.length)}` : url;
}

/**
 * The options of a sender for retries and rate limits.
 * @param account null for `local`, which has no rate limit
 */
export async function createSenderOptions(
  { machine, flags }: ClientDependencies,
  account: LimitedAccount | null,
): Promise<Omit<SenderOptions, "transport" | "onResponse">> {
  const [{ createRateLimiter }, { DEFAULT_RETRY_POLICY }] = await Promise.all([
    import("../api/sending/rate-limit.js"),
    import("../api/sending/retry.js"),
  ]);
  const { clock } = machine;
  const store = account === null ? undefined : await openRateLimits(machine, account);
  // Most runs wait for nothing.
  const display = once(() =>
    createWaitDisplay(machine.stderr, flags.quiet || isSilentJob({ machine, flags })),
  );
  const onWait: SenderOptions["onWait"] = (notice) => display().onWait(notice);
  return {
    policy: { ...DEFAULT_RETRY_POLICY, retries: flags.retries },
    limiter: createRateLimiter({
      maxWait: flags.maxWait,
      get maxSleep() {
        return display().maxSleep;
      },
      clock,
      store,
      onWait,
    }),
    clock,
    onWait,
    signal: machine.signal(),
  };
}

async function openRateLimits(
  { cacheDirectory: directory, clock: { now } }: Machine,
  account: LimitedAccount,
) {
  const [{ createCacheFile }, { createRateLimitStore, limitName }] = await Promise.all([
    import("../cache/cache-file.js"),
    import("../cache/rate-limits.js"),
  ]);
  const name = () => limitName(account);
  return createRateLimitStore(createCacheFile({ kind: "rate-limits", directory, name, now }), now);
}

/** Base URL of requests to the embedded service. It is never connected to. */
export const LOCAL_BASE_URL = "http://local.invalid/";

/**
 * The transport to the embedded service in this process: same client, same documents, no socket and no token.
 * @throws the error that caused a 500 or 503, such as a damaged database, because here it is the user's own
 */
export function createInProcessTransport({ service, userId }: LocalService): Transport {
  const encoder = new TextEncoder();
  return async (request): Promise<HttpResponse> => {
    request.signal?.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const body = encoder.encode(request.body ?? "");
    const response = await service.handle(
      { method: request.method, target: `${pathname}${search}`, headers: request.headers, body },
      { kind: "local", userId },
    );
    if (response.failure !== undefined) throw response.failure;
    return response;
  };
}
