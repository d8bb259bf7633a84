import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import type { ServiceUser } from "../../admin/users.js";
import type { RateLimitPolicy } from "../../rate-limit.js";
import type { PasswordCost } from "../../secrets.js";
import { openService, type Service } from "../../service.js";
import { openConnection, querySql, runSql } from "./database.js";
import { createSchema, type Schema } from "./postgres.js";

/** Saturday, 10:00 UTC. */
export const NOW = Date.parse("2026-11-21T10:00:00.000Z");

interface Clock {
  now: number;
}

/** A service with users, a calendar, tokens and a fixed clock. */
export interface World {
  readonly service: Service;
  /** Path of the file, `:memory:`, or URL of PostgreSQL. */
  readonly database: string;
  readonly clock: Clock;
  /** The errors behind 500s and 503s. */
  readonly errors: readonly unknown[];
  readonly member: ServiceUser;
  readonly second: ServiceUser;
  /** A user of another calendar. */
  readonly outsider: ServiceUser;
  readonly calendarId: string;
  readonly foreignCalendarId: string;
  /** The tokens of `member`, one of them read-only. */
  readonly token: string;
  readonly readOnlyToken: string;
  /** What another program does with the database. */
  readonly tables: Tables;
  close(): Promise<void>;
}

/** Access to the tables of a world that is `stored`, or on PostgreSQL. */
type Tables = Omit<Schema, "database" | "remove">;

export interface WorldOptions {
  /** Generous by default. */
  readonly rateLimit?: RateLimitPolicy | null;
  /** Instead of one of its own; the schema is not removed. */
  readonly database?: string;
  /** Whether the database is a file, which the test can read, instead of in memory; true by default. */
  readonly stored?: boolean;
  /** Whether users may sign in with the public client; they may by default. */
  readonly publicClient?: boolean;
  /** Minimal by default. */
  readonly passwordCost?: PasswordCost;
  /** The pauses of a wait for the lock of another process; timers by default. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

const CHEAP: PasswordCost = { ln: 4, r: 1, p: 1 };

/** What every world has from the beginning. */
type Seed = Pick<
  World,
  "member" | "second" | "outsider" | "calendarId" | "foreignCalendarId" | "token" | "readOnlyToken"
>;

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const {
    rateLimit = { limit: 1000, windowSeconds: 600 },
    stored = true,
    passwordCost = CHEAP,
    sleep,
  } = options;
  const isPostgres = inject("engine") === "postgres";
  const { remove, ...own } = isPostgres ? createSchema() : createDatabase(stored);
  const { database, ...tables } = {
    ...own,
    ...(options.database !== undefined && { database: options.database }),
  };
  const isCopied = !isPostgres && stored && options.database === undefined;
  const copied = isCopied ? await copyTemplate(database) : null;
  const clock: Clock = { now: NOW };
  const errors: unknown[] = [];
  const service = await openService({
    database,
    isServed: true,
    now: () => clock.now,
    clock: () => clock.now,
    rateLimit,
    passwordCost,
    publicClient: options.publicClient,
    sleep,
    onHandled: ({ failure }) => {
      if (failure !== undefined) errors.push(failure);
    },
  });
  return {
    service,
    database,
    clock,
    errors,
    ...(copied ?? (await createSeed(service))),
    tables,
    async close() {
      await service.close();
      await remove();
    },
  };
}

async function createSeed({ admin: { users, calendars, members, tokens } }: Service): Promise<Seed> {
  const member = await users.add({ name: "member" });
  const second = await users.add({ name: "second" });
  const outsider = await users.add({ name: "outsider" });
  const calendar = await calendars.add({ name: "Family", owner: member.id });
  const foreign = await calendars.add({ name: "Foreign", owner: outsider.id });
  await members.add(second.id, calendar.id);
  return {
    member,
    second,
    outsider,
    calendarId: calendar.id,
    foreignCalendarId: foreign.id,
    token: (await tokens.create({ user: member.id, readOnly: false })).token,
    readOnlyToken: (await tokens.create({ user: member.id, readOnly: true })).token,
  };
}

let template: Promise<{ readonly seed: Seed; readonly file: Buffer }> | undefined;

/** Copies the database of a new world: creating one takes three times as long as opening a copy. */
async function copyTemplate(database: string): Promise<Seed> {
  template ??= createTemplate();
  const { seed, file } = await template;
  writeFileSync(database, file, { mode: 0o600 });
  return seed;
}

async function createTemplate() {
  const folder = createFolder();
  try {
    const database = join(folder.path, "calendar.db");
    const service = await openService({ database, now: () => NOW, rateLimit: null });
    const seed = await createSeed(service);
    await service.close();
    return { seed, file: readFileSync(database) };
  } finally {
    folder.remove();
  }
}

function createDatabase(stored: boolean): Schema {
  const folder = stored ? createFolder() : null;
  const database = folder === null ? ":memory:" : join(folder.path, "calendar.db");
  return {
    database,
    query: async (sql) => querySql(database, sql),
    change: async (sql) => runSql(database, sql),
    async lock(change = "") {
      const other = openConnection(database);
      other.exec(`begin immediate; ${change}`);
      return async () => {
        other.exec("commit");
        other.close();
      };
    },
    async contents() {
      const files = readdirSync(dirname(database));
      return files.map((file) => readFileSync(join(dirname(database), file), "latin1")).join("");
    },
    remove: async () => folder?.remove(),
  };
}

/** A new folder for one test. */
export function createFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "calctl-service-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
