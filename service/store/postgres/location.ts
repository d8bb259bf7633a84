import { type ConnectionOptions, createSecureContext } from "node:tls";
import { parse } from "pg-connection-string";
import { isLoopback } from "../../../contract/url.js";
import { type CliError, configurationError, fileProblemOf } from "../../../src/errors.js";

/** Where a database is, from its URL. */
export interface PostgresLocation {
  /** Name, address, or folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Undefined: as libpq finds them without the URL. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** False: the connection is not encrypted. */
  readonly tls: ConnectionOptions | false;
  /** Undefined: the first one of the role's search path that exists. */
  readonly schema: string | undefined;
  /** The URL without its password, for messages. */
  readonly name: string;
}

/** How to connect. As libpq names it; `plaintext` is ours, like `schema`. */
const HOW = ["sslmode", "sslrootcert", "sslcert", "sslkey", "plaintext"] as const;

/** What a URL may have after `?`. */
const PARAMETERS = ["host", "schema", ...HOW] as const;

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?…`. No message repeats the URL, which may have a password.
 * @throws CliError configuration
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 */
export function parsePostgresUrl(text: string): PostgresLocation {
  const url = parseUrl(text);
  const shown = new URL(url);
  shown.password = "";
  for (const name of HOW) shown.searchParams.delete(name);
  const parameters = readParameters(url.searchParams);
  const { schema } = parameters;
  // PostgreSQL would cut a longer name.
  if (schema !== undefined && (!/^(?!pg_|\$user$)[^\0]+$/.test(schema) || Buffer.byteLength(schema) > 63)) {
    throw invalidUrl("no schema can have its name", "write up to 63 bytes that do not begin with pg_");
  }
  url.searchParams.set("sslmode", sslModeOf(parameters.host || url.hostname, parameters));
  // The authorities of Node and of NODE_EXTRA_CA_CERTS are the default.
  if (parameters.sslrootcert === "system") url.searchParams.delete("sslrootcert");
  const { host, port, database, user, password, ssl } = parseConfig(url.href);
  if (!database) throw invalidUrl("it names no database", "write postgres://USER@HOST:PORT/DATABASE");
  return {
    host: host || "localhost",
    port: Number(port || "5432"),
    database,
    user: user || undefined,
    password: password || undefined,
    tls: ssl,
    schema,
    name: shown.href,
  };
}

function parseUrl(text: string): URL {
  try {
    decodeURIComponent(text);
    // What is before a late @ would be shown, and may be part of a password.
    if (/^[a-z]+:\/\/[^/?#]*[/?#].*@|#/i.test(text)) throw new Error("it has a character to be encoded");
    // libpq takes a user without a host, which URLs do not have.
    return new URL(text.replace(/^([a-z]+:\/\/[^/@]*@)(?=[:/?])/i, "$1localhost"));
  } catch {
    throw invalidUrl(
      "it is not a URL, or has a character that must be encoded",
      "write postgres://USER@HOST:PORT/DATABASE; in a password, @ is %40, / %2F, ? %3F, # %23 and % %25",
    );
  }
}

/** Checks the certificates, too: pg would fail when the server has answered, and leave the connection open. */
function parseConfig(url: string) {
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

function readParameters(query: URLSearchParams): Parameters {
  const names: readonly string[] = PARAMETERS;
  const unknown = [...query.keys()].find((name) => !names.includes(name));
  if (unknown === undefined) return Object.fromEntries(query);
  throw invalidUrl(`its parameter "${unknown}" is not supported`, `supported are ${PARAMETERS.join(", ")}`);
}

/**
 * Beyond this machine the connection is encrypted and the certificate is checked, unless `sslmode` says otherwise.
 * @see https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION
 */
function sslModeOf(host: string, { sslmode, sslrootcert, plaintext }: Parameters): string {
  const isNear = /^(?:\/|%2f|$)/i.test(host) || isLoopback(host);
  const mode = sslmode ?? (isNear ? "disable" : "verify-full");
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

function invalidUrl(problem: string, hint: string, cause?: unknown): CliError {
  return configurationError(`the URL of the database cannot be used: ${problem}`, { hint, cause });
}
