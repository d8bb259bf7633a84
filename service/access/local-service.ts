import type { LocalService, Machine } from "../../src/machine.js";
import { systemUserName } from "../../src/system/user.js";
import type { ServiceOptions } from "../service.js";
import type { OpenService } from "./access.js";
import { withPermissionsNote } from "./database-permissions.js";

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

/** The embedded service behind the profile `local` of this machine. */
export async function openLocalProfile(
  machine: Machine,
  note: (text: string) => void,
): Promise<LocalService> {
  const open = withPermissionsNote(createServiceOpener(machine), { userId: machine.userId, note });
  return openLocalService(open, { database: machine.database() }, note);
}
