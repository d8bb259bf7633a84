import { type CliError, configurationError, errorCodeOf } from "../../../src/errors.js";
import { DatabaseUnavailableError } from "../store.js";
import type { PostgresLocation } from "./location.js";

/** Thrown when a connection could not be made, or was lost; what was not committed then did not happen. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** Whether the transaction can be repeated: it did begin. */
  readonly isTransient: boolean;
  /** Whether the transaction may have been committed. */
  readonly mayHaveCommitted: boolean;

  constructor(cause: unknown, moment: "connect" | "query" | "commit") {
    super("no connection to the database", { cause });
    const message = cause instanceof Error ? cause.message : "";
    // pgbouncer waited for a connection to the server in vain, which a repetition would do again.
    this.isTransient = moment !== "connect" && message !== "query_wait_timeout";
    this.mayHaveCommitted =
      moment === "commit" && message !== "Client has encountered a connection error and is not queryable";
  }
}

/** The error code of a write where only reading is allowed. */
export const READ_ONLY = "25006";

/** Whether the server ended the connection with this error, or could not do its work at all: classes 08 and 57P. */
export function endsConnection(error: unknown): boolean {
  return /^(?:08|57P|25P03$)/.test(errorCodeOf(error) ?? "");
}

/** Whether a transaction failed because of others that ran at the same time, or of its connection, and can be repeated. */
export function isTransient(error: unknown): boolean {
  return error instanceof ConnectionError
    ? error.isTransient
    : ["40001", "40P01"].includes(errorCodeOf(error) ?? "");
}

/**
 * Turns an error of the driver or the server into a CliError with what it says and a hint; returns any other error unchanged.
 */
export function explainPostgresError(error: unknown, { name }: PostgresLocation): unknown {
  const cause = error instanceof ConnectionError ? error.cause : error;
  const code = errorCodeOf(cause) ?? "";
  // Node has no message for a host of which no address answers.
  const message = (cause instanceof Error && cause.message.trim()) || code;
  const known = HINTS.find(([pattern]) => pattern.test(`${code} ${message}`));
  if (known === undefined && !(error instanceof ConnectionError)) return error;
  const [, hint, kind = "configuration"] = known ?? [/^/, SERVER];
  return new DatabaseUnavailableError(kind, `the database ${name} cannot be used: ${message}`, {
    hint,
    cause: error,
  });
}

const SERVER = "check that PostgreSQL runs there and answers, and host and port of the URL";
const PASSWORD =
  "check user and password of the URL, PGPASSWORD or the password file, and pg_hba.conf or pgbouncer's auth_file";
const BUSY = "it is busy: try again; pg_stat_activity shows what takes so long";
const TLS =
  "check the certificates of the server and the URL, and that host and port are those of PostgreSQL";

/**
 * What can be done about errors, which begin with their SQLSTATE or the code of Node's network and TLS. pgbouncer has one for every
 * reason, 08P01. The first that applies counts.
 */
const HINTS: readonly (readonly [error: RegExp, hint: string, kind?: CliError["code"]])[] = [
  [/^(?:ECONN|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)/, SERVER],
  [/^28|^08P01 .*(?:authentication failed|no such user)/i, PASSWORD],
  [/^3D|^08P01 .*(?:no such database|does not exist)/i, "create it: createdb; name it in pgbouncer.ini, too"],
  [/^42501/, "use a role that owns its tables"],
  [/^25006/, "use the primary, not a standby, or check default_transaction_read_only"],
  [/^5[38]|^08P01 .*no more conn/i, "check max_connections, its disk and its log", "unavailable"],
  // The last two are conflicts with other transactions that did not end however often it was repeated.
  [/^(?:55P03|57014|40001|40P01)/, BUSY, "unavailable"],
  [
    /^ timeout exceeded when trying to connect/,
    `all connections of this node are in use; ${BUSY}`,
    "unavailable",
  ],
  [/^(?:57P|08)/, "try again when PostgreSQL has started; with pgbouncer, check default_pool_size"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID/, "write a name of the certificate as the host of the URL"],
  [
    /^(?:CERT_UNTRUSTED|DEPTH_|SELF_SIGNED_|UNABLE_TO_(?:GET_I|V))/,
    "add its authority to the URL: sslrootcert=FILE",
  ],
  [/^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|INVALID_|PATH_LENGTH_EXCEEDED|EPROTO)/, TLS],
];

/** A database that cannot be ours, or is not as it must be. @param problem follows its name */
export function wrongDatabaseError({ name }: PostgresLocation, problem: string, hint: string): CliError {
  return configurationError(`the database ${name} ${problem}`, { hint });
}

/** A newer program has migrated the database, so this one must stop. */
export function supersededError({ name }: PostgresLocation): DatabaseUnavailableError {
  const message = `the database ${name} was migrated by a newer calctl`;
  return new DatabaseUnavailableError("configuration", message, { hint: "update calctl on this node" });
}
