import type { RunSettings } from "../../src/config/run-settings.js";
import type { Machine } from "../../src/machine.js";
import type { ServiceAdmin, ServiceSample } from "../admin/admin.js";
import type { ListenOptions } from "../listen.js";
import type { MetricsAddress } from "../metrics-listener.js";
import type { LogFormat } from "../request-log.js";
import type { Service, ServiceOptions } from "../service.js";
import type { Finding } from "../store/check.js";
import type { CopiedTable } from "../store/copy.js";
import type { Backup } from "../store/sqlite/backup.js";

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

/** The embedded service, for the `service` commands. */
export interface ServiceAccess {
  /**
   * Opens the database of `--db`, by default that of the profile `local`.
   * @param options.create whether a missing one is created; by default only that of `local` is, with its user
   * @throws CliError configuration when it is missing and not created
   */
  admin(database: string | undefined, options?: { readonly create?: boolean }): Promise<ServiceAdmin>;
  /** Serves until the signal aborts. */
  serve(options: ServeOptions): Promise<void>;
  /**
   * Copies the database, an SQLite file, into a new file while others use it.
   * @throws CliError usage when the file exists, or the database is not an SQLite file; configuration when it cannot be copied
   */
  backup(request: { readonly database: string | undefined; readonly file: string }): Promise<Backup>;
  /** Verifies the database. @throws CliError configuration when it cannot be read, or has another version */
  check(database: string | undefined): Promise<readonly Finding[]>;
  /**
   * Copies a database to one that is empty, or an unfinished copy of it, and compares them.
   * @throws CliError configuration when one of them cannot be used, or the target has something else
   */
  copy(databases: { readonly from: string; readonly to: string }): Promise<readonly CopiedTable[]>;
  /** @throws CliError usage for a password that nobody may choose */
  checkPassword(password: string): Promise<void>;
  openApi(): Promise<unknown>;
}

export interface ServeOptions {
  readonly database: string | undefined;
  readonly memory: boolean;
  readonly sample: boolean;
  readonly rateLimit: { readonly limit: number; readonly windowSeconds: number } | null;
  readonly log: LogFormat;
  /** Whether users may sign in with the public client. */
  readonly publicClient: boolean;
  /** Origins whose web pages may call the service. */
  readonly cors: readonly string[];
  /** How long it serves on after SIGTERM while it is no longer ready (ms). */
  readonly drainTime: number;
  /** Where metrics are served; null for nowhere. */
  readonly metrics: MetricsAddress | null;
  readonly listen: Omit<ListenOptions, "tls">;
  /** Paths of PEM files. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly onListening: (report: ListeningReport) => Promise<void>;
}

/** What `service start` reports once it listens. */
export interface ListeningReport {
  readonly base_url: string;
  readonly auth_url: string;
  /** `HOST:PORT`. */
  readonly listen: string;
  /** Absent without `--metrics`. */
  readonly metrics_url?: string;
  /** What `--sample` has added; null without it. */
  readonly sample: ServiceSample | null;
}

/** What the embedded service is composed from. */
export interface AccessContext {
  readonly machine: Pick<
    Machine,
    "clock" | "database" | "env" | "process" | "resources" | "signal" | "stderr" | "userId"
  >;
  readonly flags: Pick<RunSettings, "debug" | "dryRun" | "quiet">;
}
