import { type ConnectionOptions, createSecureContext } from "node:tls";
import { parse } from "pg-connection-string";
import { isLoopback, parseUrl } from "../../../contract/url.js";
import { type CliError, configurationError, fileProblemOf } from "../../../src/errors.js";

/** Where a database is, from its URL. */
export interface PostgresLocation {
  /** Name, address, or folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Undefined: PGUSER or the user of the system. */
  readonly user: string | undefined;
  /** Undefined: that of PGPASSWORD or of the password file. */
  readonly password: string | undefined;
  /** False: the connection is not encrypted. */
  readonly tls: ConnectionOptions | false;
  /** Undefined: the first one of the role's search path that exists. */
  readonly schema: string | undefined;
  /** The URL without its password, for messages. */
  readonly name: string;
}

/** What a URL may have after `?`, as libpq names it; `schema` and `plaintext` are ours. */
const PARAMETERS = ["host", "sslmode", "sslrootcert", "sslcert", "sslkey", "schema", "plaintext"] as const;

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?…`. No message repeats the URL, which may have a password.
 * @throws CliError configuration
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 */
export function parsePostgresUrl(text: string): PostgresLocation {
  // Before anything is quoted: what stands between would be part of a password.
  if (/^[a-z]+:\/\/[^/?#]*[/?#].*@/i.test(text)) {
    throw invalidUrl(
      "it has an @ after the host",
      "in the password write / as %2F, ? as %3F, # as %23; elsewhere @ as %40",
    );
  }
  if (!isDecodable(text)) throw invalidUrl("it has a % that is not written as %25");
  // libpq takes a user without a host, which URLs do not have.
  const url = parseUrl(text.replace(/^([a-z]+:\/\/[^/@]*@)(?=[:/?])/i, "$1localhost"));
  if (url === null) throw invalidUrl("it is not a URL");
  if (url.hash !== "") throw invalidUrl("it has a # that is not written as %23");
  const parameters = readParameters(url.searchParams);
  const { schema } = parameters;
  if (schema !== undefined) requireSchema(schema);
  const host =
    parameters.host ?? (decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1") || "localhost");
  if (host.includes(",")) throw invalidUrl("it has more than one host");
  const name = nameOf(url, parameters);
  url.searchParams.set("sslmode", sslModeOf(host, parameters));
  // The authorities of Node and of NODE_EXTRA_CA_CERTS are the default.
  if (parameters.sslrootcert === "system") url.searchParams.delete("sslrootcert");
  const { port, database, user, password, ssl } = parseUsable(url.href);
  if (!database) throw invalidUrl("it names no database");
  return {
    host,
    port: Number(port || "5432"),
    database,
    user: user || undefined,
    password: password || undefined,
    tls: typeof ssl === "object" ? ssl : false,
    schema,
    name,
  };
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== "";
  } catch {
    return false;
  }
}

/** Checks the certificates, too: pg would fail when the server has answered, and leave the connection open. */
function parseUsable(url: string) {
  try {
    const config = parse(url, { useLibpqCompat: true });
    const ssl = config.ssl as ConnectionOptions | false;
    if (ssl !== false) createSecureContext(ssl);
    return { ...config, ssl };
  } catch (cause) {
    const problem = `sslrootcert, sslcert or sslkey cannot be used (${fileProblemOf(cause)})`;
    throw invalidUrl(problem, "give files in PEM format", cause);
  }
}

/** PostgreSQL cuts names of more than 63 bytes. */
function requireSchema(name: string): void {
  if (name === "") throw invalidUrl("its schema is empty");
  if (name.includes("\0")) throw invalidUrl("its schema has a NUL");
  if (/^pg_/.test(name) || name === "$user")
    throw invalidUrl("its schema has a name that PostgreSQL reserves");
  if (Buffer.byteLength(name) > 63) throw invalidUrl("its schema has a name of more than 63 bytes");
}

/** The URL without its password, and with those parameters that say where the database is. */
function nameOf(url: URL, { host, schema }: Parameters): string {
  const shown = new URL(url);
  shown.password = "";
  shown.search = "";
  if (host !== undefined) shown.searchParams.set("host", host);
  if (schema !== undefined) shown.searchParams.set("schema", schema);
  return shown.href;
}

function readParameters(query: URLSearchParams): Parameters {
  const names: readonly string[] = PARAMETERS;
  for (const name of query.keys()) {
    if (!names.includes(name)) {
      throw invalidUrl(`its parameter "${name}" is not supported`, `supported are ${PARAMETERS.join(", ")}`);
    }
  }
  return Object.fromEntries(query);
}

/**
 * Beyond this machine the connection is encrypted and the certificate is checked, unless `sslmode` says otherwise.
 * @see https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION
 */
function sslModeOf(host: string, { sslmode, sslrootcert, plaintext }: Parameters): string {
  const isNear = host.startsWith("/") || isLoopback(host);
  const mode = sslmode ?? (isNear ? "disable" : "verify-full");
  if (plaintext !== undefined && plaintext !== "allow") throw invalidUrl('plaintext can only be "allow"');
  if (mode === "disable" && !isNear && plaintext !== "allow") {
    throw invalidUrl(
      "sslmode=disable would send the password and all calendars over the network unencrypted",
      "leave sslmode out, or add plaintext=allow where the network itself is private",
    );
  }
  if (!["verify-full", "verify-ca", "require", "disable"].includes(mode))
    throw invalidUrl(`sslmode=${mode} is not supported`, "write verify-full, verify-ca, require or disable");
  if (mode === "verify-ca" && (sslrootcert === undefined || sslrootcert === "system"))
    throw invalidUrl("sslmode=verify-ca needs an authority", "add sslrootcert=FILE, or write verify-full");
  return mode;
}

function invalidUrl(
  problem: string,
  hint = "write postgres://USER@HOST:PORT/DATABASE, the password in PGPASSWORD or a password file",
  cause?: unknown,
): CliError {
  return configurationError(`the URL of the database cannot be used: ${problem}`, { hint, cause });
}
