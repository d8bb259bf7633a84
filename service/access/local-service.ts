import type { LocalService, Machine } from "../../src/machine.js";
import { systemUserName } from "../../src/system/user.js";
import type { Service, ServiceOptions } from "../service.js";

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
    const { openService } = await import("../service.js");
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
