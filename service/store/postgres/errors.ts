import { type CliError, configurationError, errorCodeOf } from "../../../src/errors.js";
import { DatabaseUnavailableError } from "../store.js";
import type { PostgresLocation } from "./location.js";

/** Thrown when a connection could not be made, or was lost; what was not committed then did not happen. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** Whether the connection never was made. */
  readonly isRefused: boolean;
  /** Whether a statement was waited for in vain. */
  readonly isUnanswered: boolean;
  /** Whether the statement surely did not reach the server, since the connection was lost before. */
  readonly isUnsent: boolean;

  constructor(cause: unknown, { isRefused = false }: { readonly isRefused?: boolean } = {}) {
    super("no connection to the database", { cause });
    this.isRefused = isRefused;
    const message = cause instanceof Error ? cause.message : "";
    this.isUnanswered = message === "Query read timeout";
    this.isUnsent = message === "Client has encountered a connection error and is not queryable";
  }
}

/** What the pool says when all its connections were in use for too long. */
const POOL_TIMEOUT = "timeout exceeded when trying to connect";

/** The error codes of a wait for a lock that took too long, and of a write where only reading is allowed. */
export const LOCK_NOT_AVAILABLE = "55P03";
export const READ_ONLY = "25006";

/** Whether the server ended the connection with this error, or could not do its work at all: classes 08 and 57P. */
export function endsConnection(error: unknown): boolean {
  return /^(?:08|57P|25P03$)/.test(errorCodeOf(error) ?? "");
}

/** What PostgreSQL would send where pgbouncer refuses a client, which has one code for every reason. */
const REFUSALS: readonly (readonly [message: RegExp, code: string])[] = [
  [/authentication failed|no such user/i, "28P01"],
  [/no such database|database .* does not exist/i, "3D000"],
  [/no more connections allowed/i, "53300"],
  [/query_wait_timeout|server_login_retry|cannot connect to server/i, "08001"],
];

/** The code of an error of the driver, the server or pgbouncer; "" if it has none. */
function codeOf(error: unknown): string {
  const code = errorCodeOf(error) ?? "";
  if (code !== "08P01" || !(error instanceof Error)) return code;
  return REFUSALS.find(([message]) => message.test(error.message))?.[1] ?? code;
}

/** Whether pgbouncer waited for a connection to the server in vain, which a repetition would do again. */
export function isPoolerTimeout(error: unknown): boolean {
  return error instanceof Error && errorCodeOf(error) === "08P01" && error.message === "query_wait_timeout";
}

/** Whether a transaction failed because of others that ran at the same time, and can be repeated. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(errorCodeOf(error) ?? "");
}

/** Turns an error of the driver or the server into a CliError with a hint; returns any other error unchanged. */
export function explainPostgresError(error: unknown, location: PostgresLocation): unknown {
  const cause = error instanceof ConnectionError ? error.cause : error;
  const code = codeOf(cause);
  const unavailable = (problem: string, hint: string, kind: CliError["code"] = "configuration") =>
    new DatabaseUnavailableError(kind, `the database ${location.name} cannot be used: ${problem}`, {
      hint,
      cause: error,
    });
  if (cause instanceof Error && cause.message === POOL_TIMEOUT) {
    return unavailable(
      "all connections of this node are in use",
      "try again; if it lasts, pg_stat_activity shows what takes so long, and another node has connections of its own",
      "unavailable",
    );
  }
  const known = KNOWN.find(([codes]) => codes.test(code));
  if (known !== undefined) {
    const [, problem, hint, kind] = known;
    return unavailable(problem, typeof hint === "string" ? hint : hint(location, code), kind);
  }
  if (!(error instanceof ConnectionError)) return error;
  const { host, port, tls } = location;
  return unavailable(
    tls === false ? "it does not answer" : "it does not answer, or not with TLS",
    `check host and port (${host} ${port})${tls === false ? "" : ", and that ssl is on in postgresql.conf"}`,
  );
}

/** What is said of codes: SQLSTATE, or those of Node's network and TLS; the first that applies counts. */
type KnownError = readonly [
  codes: RegExp,
  problem: string,
  hint: string | ((location: PostgresLocation, code: string) => string),
  kind?: CliError["code"],
];

const KNOWN: readonly KnownError[] = [
  [
    /^(?:ECONNREFUSED|ENOENT)$/,
    "no server answers there",
    ({ host, port }) =>
      host.startsWith("/")
        ? `start it; its socket would be ${host}/.s.PGSQL.${port}`
        : `start it, or check host and port: ${host} ${port}`,
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    "its host cannot be reached",
    ({ host }) => `check the name ${host} and the network`,
  ],
  [
    /^28/,
    "the server refuses the user or the password",
    "check user and password of the URL, PGPASSWORD or the password file, and pg_hba.conf or pgbouncer's auth_file",
  ],
  [
    /^3D000$/,
    "the server has no such database",
    ({ database }) => `create it: createdb ${database}; behind pgbouncer, also name it in pgbouncer.ini`,
  ],
  [/^42501$/, "the user lacks a privilege", "use a role that owns its tables"],
  [/^25006$/, "it is read-only", "use the primary, not a standby, or check default_transaction_read_only"],
  [
    /^5(?:3|8)/,
    "the server has no resources left",
    "check max_connections, its disk and its log",
    "unavailable",
  ],
  // The last two are conflicts with other transactions that did not end however often it was repeated.
  [
    /^(?:55P03|57014|40001|40P01)$/,
    "it is busy",
    "try again; pg_stat_activity shows what takes so long",
    "unavailable",
  ],
  [
    /^08001$/,
    "pgbouncer got no connection to the server",
    "check that PostgreSQL runs behind it, and its default_pool_size; pgbouncer's log says more",
  ],
  [/^(?:57P|08)/, "the server ended the connection", "try again when it has started"],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "its certificate is for another host",
    "write a name of the certificate as the host of the URL",
  ],
  [
    /^(?:CERT_UNTRUSTED|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET_ISSUER|VERIFY))/,
    "its certificate is not trusted",
    "give the certificate of its authority: sslrootcert=FILE in the URL",
  ],
  [
    /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|INVALID_|PATH_LENGTH_EXCEEDED$|EPROTO$)/,
    "no TLS connection can be made",
    ({ host, port }, code) =>
      `check the certificates of the server and the URL, and that ${host} ${port} is PostgreSQL (${code})`,
  ],
];

/** The database belongs to another program, or has only a part of our tables. */
export function foreignPostgresError({ name }: Pick<PostgresLocation, "name">, problem: string): CliError {
  return configurationError(`${name} is not a database of calctl: ${problem}`, {
    hint: "choose an empty database, or a schema of its own: ?schema=calctl",
  });
}

/** A newer program has migrated the database, so this one must stop. */
export function supersededError({ name }: Pick<PostgresLocation, "name">): DatabaseUnavailableError {
  const message = `the database ${name} was migrated by a newer calctl`;
  return new DatabaseUnavailableError("configuration", message, { hint: "update calctl on this node" });
}
