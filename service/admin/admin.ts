import { renewRevisions } from "../store/revisions.js";
import { readSetting } from "../store/store.js";
import type { AdminOptions } from "./input.js";
import type { Operations } from "./operations.js";
import type { ServiceSample } from "./sample.js";
import type { LocalUser } from "./users.js";

/**
 * What an operator may do that the API does not offer. Users are given by id, name or login, calendars also by a unique prefix
 * of the name. Every method throws CliError: usage when a value is invalid or a name is ambiguous, not_found.
 */
export interface ServiceAdmin extends Operations {
  /** The user of the profile `local`. The first process to call it creates the user and a calendar. */
  ensureLocalUser(user: { readonly name: string }): Promise<LocalUser>;
  /** @throws CliError configuration when the database is not empty */
  addSample(): Promise<ServiceSample>;
  /** Remembers where the database is served, for the addresses of feeds that the profile `local` makes. */
  noteBaseUrl(url: string): Promise<void>;
  /** Makes clients read everything again, after the database was restored. */
  resync(): Promise<Resync>;
}

export interface Resync {
  /** How many there are. */
  readonly calendars: number;
}

/** What `operations.ts` has, known without loading it. */
const METHODS = {
  users: ["add", "list", "setPassword", "rename", "disable", "enable", "unlock"],
  calendars: ["add", "list", "inspect", "set", "remove"],
  members: ["add", "list", "remove"],
  labels: ["set"],
  clients: ["add", "list", "remove"],
  tokens: ["create", "list", "revoke", "revokeAll"],
} as const satisfies { readonly [G in keyof Operations]: readonly (keyof Operations[G])[] };

/** Loads the operations with the first of them: requests need none. */
export function createAdmin(options: AdminOptions): ServiceAdmin {
  const { store, now } = options;
  let loading: Promise<Operations> | undefined;
  const load = () => {
    loading ??= import("./operations.js").then(({ createOperations }) => createOperations(options));
    return loading;
  };
  const groups = Object.entries(METHODS).map(([group, methods]) => {
    const call =
      (method: string) =>
      async (...args: unknown[]) =>
        Reflect.get(Reflect.get(await load(), group), method)(...args);
    return [group, Object.fromEntries(methods.map((method) => [method, call(method)]))];
  });
  return {
    ...(Object.fromEntries(groups) as Operations),
    async ensureLocalUser({ name }) {
      const userId = await store.read((db) => readSetting(db, "local_user_id"));
      if (userId !== undefined) return { userId, created: null };
      return (await import("./users.js")).ensureLocalUser(options, name);
    },
    async noteBaseUrl(url) {
      if ((await store.read((db) => readSetting(db, "base_url"))) === url) return;
      await store.write((db) =>
        db.run(
          `insert into settings (name, value) values ('base_url', ?)
          on conflict (name) do update set value = excluded.value`,
          url,
        ),
      );
    },
    addSample: async () => (await import("./sample.js")).addSample(options),
    resync: async () => ({ calendars: await store.write((db) => renewRevisions(db, now())) }),
  };
}
