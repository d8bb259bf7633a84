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

  constructor(cause: unknown, { isRefused = false }: { readonly isRefused?: boolean } = {}) {
    super("no connection to the database", { cause });
    this.isRefused = isRefused;
    this.isUnanswered = cause instanceof Error && cause.message === "Query read timeout";
  }
}

/** Thrown when a connection was waited for in vain because all of the pool were in use all the time. */
export class BusyPoolError extends ConnectionError {
  /** How many there are. */
  readonly connections: number;

  constructor(connections: number) {
    super(undefined, { isRefused: true });
    this.connections = connections;
  }
}

/** The error code of a wait for a lock that took too long. */
export const LOCK_NOT_AVAILABLE = "55P03";

/** Whether the server ended the connection with this error, or could not do its work at all: classes 08 and 57P. */
export function endsConnection(error: unknown): boolean {
  return /^(?:08|57P|25P03$)/.test(errorCodeOf(error) ?? "");
}

/** What PostgreSQL would send where pgbouncer refuses a client, which has one code for every reason. */
const POOLER_REFUSALS: readonly { readonly message: RegExp; readonly code: string }[] = [
  { message: /authentication failed|no such user/i, code: "28P01" },
  { message: /no such database|database .* does not exist/i, code: "3D000" },
  { message: /no more connections allowed/i, code: "53300" },
  { message: /query_wait_timeout|server_login_retry|cannot connect to server/i, code: "08001" },
];

/** The code of an error of the driver, the server or pgbouncer; "" if it has none. */
function codeOf(error: unknown): string {
  const code = errorCodeOf(error) ?? "";
  if (code !== "08P01" || !(error instanceof Error)) return code;
  return POOLER_REFUSALS.find(({ message }) => message.test(error.message))?.code ?? code;
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
  if (error instanceof BusyPoolError) {
    return unavailable(
      `all ${error.connections} connections of this node are in use`,
      "try again; if it lasts, pg_stat_activity shows what takes so long, and another node has connections of its own",
      "unavailable",
    );
  }
  const known = KNOWN.find(([codes]) => codes.test(code));
  if (known !== undefined) {
    const [, problem, hint, kind] = known;
    return unavailable(problem, typeof hint === "string" ? hint : hint(location, cause), kind);
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
  hint: string | ((location: PostgresLocation, cause: unknown) => string),
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
  [/^55000$/, "it accepts no connections", "choose another one: templates are not for data"],
  [/^42501$/, "the user lacks a privilege", "use a role that owns its tables"],
  [/^25006$/, "it is read-only", "use the primary, not a standby, or check default_transaction_read_only"],
  [
    /^53300$/,
    "the server has no connection left",
    "raise max_connections, or max_client_conn of pgbouncer in front of it",
    "unavailable",
  ],
  [/^(?:53|58)/, "the server has no resources left", "check its disk, its memory and its log", "unavailable"],
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
    (_, cause) => `write a name of the certificate as the host of the URL${certificateNames(cause)}`,
  ],
  [/^CERT_HAS_EXPIRED$/, "its certificate has expired", "renew it on the server"],
  [
    /^CERT_NOT_YET_VALID$/,
    "its certificate is not valid yet",
    "check the clock of this machine, or renew the certificate on the server",
  ],
  [
    /^(?:CERT_UNTRUSTED|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET_ISSUER|VERIFY))/,
    "its certificate is not trusted",
    "give the certificate of its authority: sslrootcert=FILE in the URL",
  ],
  [
    /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_|INVALID_|PATH_LENGTH_EXCEEDED$)/,
    "its certificate cannot be used",
    (_, cause) => `replace it on the server (${errorCodeOf(cause)})`,
  ],
  [
    /^ERR_SSL_\w+_ALERT_(?:UNKNOWN_CA$|\w*CERTIFICATE)/,
    "the server does not accept the certificate of this client",
    "give one of an authority that the server trusts: sslcert=FILE and sslkey=FILE in the URL",
  ],
  [
    /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/,
    "no TLS connection can be made",
    ({ host, port }) =>
      `check that ${host} ${port} is PostgreSQL, and that its ssl_max_protocol_version allows TLS 1.2 or 1.3`,
  ],
];

/** What a certificate is for, as Node's error about it has it; "" if it has no such names. */
function certificateNames(error: unknown): string {
  const cert = error instanceof Error && "cert" in error ? error.cert : undefined;
  const isNamed = typeof cert === "object" && cert !== null && "subjectaltname" in cert;
  return isNamed && typeof cert.subjectaltname === "string" ? `: ${cert.subjectaltname}` : "";
}

/** The database belongs to another program, or has only a part of our tables. */
export function foreignPostgresError({ name }: Pick<PostgresLocation, "name">, problem: string): CliError {
  return configurationError(`${name} is not a database of calctl: ${problem}`, {
    hint: "choose an empty database, or a schema of its own: ?schema=calctl",
  });
}

/** A newer program has migrated the database, so this one must stop. */
export function supersededError({ name }: Pick<PostgresLocation, "name">): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    "configuration",
    `the database ${name} was migrated by a newer calctl`,
    {
      hint: "update calctl on this node",
    },
  );
}
