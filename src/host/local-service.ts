import type { Service, ServiceOptions } from "../../service/service.js";
import type { HttpResponse, Transport } from "../api/transport.js";
import type { LocalService, Machine } from "../machine.js";
import { systemUserName } from "../system/user.js";

/** Base URL of requests to the embedded service. It is never connected to. */
export const LOCAL_BASE_URL = "http://local.invalid/";

/** Opens the embedded service over a database. It is closed at the end of the run. */
export type OpenService = (
  options: Pick<
    ServiceOptions,
    | "database"
    | "create"
    | "rateLimit"
    | "onHandled"
    | "publicClient"
    | "cors"
    | "observer"
    | "signal"
    | "onSuperseded"
  >,
) => Promise<Service>;

/**
 * Loads the service only when it is opened: commands that use a remote service load no SQLite. By default an interruption
 * ends the wait for a database that another process locks.
 */
export function createServiceOpener({
  clock: { now },
  resources,
  signal,
}: Pick<Machine, "clock" | "resources" | "signal">): OpenService {
  return async (options) => {
    const { openService } = await import("../../service/service.js");
    const service = await openService({ signal, ...options, now });
    resources.add(() => service.close());
    return service;
  };
}

/** The service of the profile `local`. The first use creates its database, user and calendar, with a note. */
export async function openLocalService(
  open: OpenService,
  options: Pick<
    ServiceOptions,
    "database" | "onHandled" | "publicClient" | "cors" | "observer" | "signal" | "onSuperseded"
  > &
    Partial<Pick<ServiceOptions, "rateLimit">>,
  note: (text: string) => void,
): Promise<LocalService> {
  const { database } = options;
  const service = await open({ rateLimit: null, ...options });
  const { userId, created } = await service.admin.ensureLocalUser({ name: systemUserName() });
  if (service.created !== null) note(`created the calendar database of the profile local: ${database}`);
  else if (created !== null)
    note(`created the user ${created.user} and the calendar ${created.calendar} in ${database}`);
  return { service, userId };
}

/**
 * The transport to the embedded service in this process: same client, same bodies, no socket and no token.
 * @throws the error that caused a 500 or 503, such as a damaged database, because here it is the user's own
 */
export function createInProcessTransport({ service, userId }: LocalService): Transport {
  const encoder = new TextEncoder();
  return async (request): Promise<HttpResponse> => {
    request.signal?.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const body = encoder.encode(request.body ?? "");
    const { failure, ...response } = await service.handle(
      { method: request.method, target: `${pathname}${search}`, headers: request.headers, body },
      { kind: "local", userId },
    );
    if (failure !== undefined) throw failure;
    return response;
  };
}
