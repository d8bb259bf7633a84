import type { AdminOptions, OperationGroup, Operations } from "./admin.js";

/** The methods of each group, all of which are known without loading any. */
const METHODS: { readonly [G in OperationGroup]: Readonly<Record<keyof Operations[G], true>> } = {
  users: {
    add: true,
    list: true,
    setPassword: true,
    rename: true,
    disable: true,
    enable: true,
    unlock: true,
  },
  calendars: { add: true, list: true, inspect: true, set: true, remove: true },
  members: { add: true, list: true, remove: true },
  labels: { set: true },
  clients: { add: true, list: true, remove: true },
  tokens: { create: true, list: true, revoke: true, revokeAll: true },
};

/** The operations of an operator, which are loaded with the first of them: requests need none. */
export function createAdminLoadedLater(options: AdminOptions): Operations {
  let loaded: Promise<Operations> | undefined;
  const operations = () => {
    loaded ??= import("./operations.js").then(({ createOperations }) => createOperations(options));
    return loaded;
  };
  const group = <G extends OperationGroup>(name: G): Operations[G] =>
    forward<Operations[G]>(async () => (await operations())[name], METHODS[name]);
  return {
    users: group("users"),
    calendars: group("calendars"),
    members: group("members"),
    labels: group("labels"),
    clients: group("clients"),
    tokens: group("tokens"),
    ensureLocalUser: async (user) => (await operations()).ensureLocalUser(user),
  };
}

/** An object whose methods call those of another one, which is loaded first. Each returns a promise anyway. */
function forward<T extends object>(load: () => Promise<T>, methods: Readonly<Record<keyof T, true>>): T {
  const entries = Object.keys(methods).map((name) => [
    name,
    async (...args: unknown[]) => {
      const target: object = await load();
      return Reflect.get(target, name)(...args);
    },
  ]);
  return Object.fromEntries(entries);
}
