import type { ServiceAdmin } from "../../service/admin/admin.js";
import type { Session } from "../auth/session.js";
import type { ConfigFile } from "../config/config-file.js";
import type { ServiceAccess } from "../context.js";
import { dryRunError } from "../errors.js";
import type { Webhooks } from "../messages/webhooks/webhooks.js";

/** With `--dry-run`, what changes something without a request is refused where it would change it. */

async function refuse(): Promise<never> {
  throw dryRunError();
}

export function readOnlyConfig(file: ConfigFile): ConfigFile {
  return {
    get path() {
      return file.path;
    },
    read: file.read,
    update: refuse,
    lockSecrets: refuse,
  };
}

export function readOnlySession(session: Session): Session {
  return { ...session, login: refuse, logout: refuse, removeToken: refuse };
}

/** Their targets refuse to deliver by themselves. */
export function readOnlyWebhooks(webhooks: Webhooks): Webhooks {
  return { ...webhooks, add: refuse, remove: refuse };
}

export function readOnlyService(service: ServiceAccess): ServiceAccess {
  return {
    ...service,
    // A database that does not exist is not created either.
    admin: async (database, options) =>
      options?.create === true ? refuse() : readOnlyAdmin(await service.admin(database, options)),
    serve: refuse,
    backup: refuse,
    copy: refuse,
  };
}

/** Every method that is not named here changes something. */
function readOnlyAdmin({ users, calendars, members, labels, clients, tokens }: ServiceAdmin): ServiceAdmin {
  return {
    users: { ...refused(users), list: users.list },
    calendars: { ...refused(calendars), list: calendars.list, inspect: calendars.inspect },
    members: { ...refused(members), list: members.list },
    labels: refused(labels),
    clients: { ...refused(clients), list: clients.list },
    tokens: { ...refused(tokens), list: tokens.list },
    ensureLocalUser: refuse,
    addSample: refuse,
    resync: refuse,
  };
}

type Refused<T> = { readonly [K in keyof T]: () => Promise<never> };

/** The same methods, all refused. */
function refused<T extends object>(methods: T): Refused<T> {
  // Object.keys forgets which keys a type has.
  return Object.fromEntries(Object.keys(methods).map((name) => [name, refuse])) as Refused<T>;
}
