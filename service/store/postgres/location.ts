import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type ConnectionOptions, createSecureContext, type SecureContextOptions } from "node:tls";
import { isLoopback, parseUrl } from "../../../contract/url.js";
import {
  type CliError,
  type CliErrorOptions,
  configurationError,
  errorCodeOf,
  fileProblemOf,
} from "../../../src/errors.js";

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

const DEFAULT_PORT = 5432;

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
  // libpq takes a user without a host, which URLs do not have.
  const complete = text.replace(/^([a-z]+:\/\/[^/@]*@)(?=[:/?])/i, "$1localhost");
  const url = parseUrl(complete);
  if (url === null) throw invalidUrl("it is not a URL");
  const parameters = readParameters(url.searchParams);
  const database = decode(url.pathname.slice(1));
  if (database === "") throw invalidUrl("it names no database");
  if (url.hash !== "") throw invalidUrl("it has a # that is not written as %23");
  const host = parameters.host ?? (decode(url.hostname).replace(/^\[(.*)\]$/, "$1") || "localhost");
  if (host.includes(",")) throw invalidUrl("it has more than one host");
  const port = url.port === "" ? DEFAULT_PORT : Number(url.port);
  const user = decode(url.username) || undefined;
  const schema = parameters.schema;
  const problem = schema === undefined ? null : schemaProblem(schema);
  if (problem !== null) throw invalidUrl(`its schema ${problem}`);
  return {
    host,
    port,
    database,
    user,
    password: decode(url.password) || undefined,
    tls: tlsOptions(host, parameters),
    schema,
    name: nameOf(url, parameters),
  };
}

/** Why a schema cannot have this name; null if it can. */
function schemaProblem(name: string): string | null {
  if (name === "") return "is empty";
  if (name.includes("\0")) return "has a NUL";
  if (/^pg_/.test(name) || name === "$user") return "has a name that PostgreSQL reserves";
  return Buffer.byteLength(name) > MAX_IDENTIFIER ? `has a name of more than ${MAX_IDENTIFIER} bytes` : null;
}

/** PostgreSQL cuts longer names (bytes). */
const MAX_IDENTIFIER = 63;

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

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidUrl("it has a % that is not written as %25");
  }
}

/**
 * Beyond this machine the connection is encrypted and the certificate is checked, unless `sslmode` says otherwise.
 * @see https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION
 */
function tlsOptions(host: string, parameters: Parameters): ConnectionOptions | false {
  const isNear = host.startsWith("/") || isLoopback(host);
  const {
    sslmode = isNear ? "disable" : "verify-full",
    sslrootcert,
    sslcert,
    sslkey,
    plaintext,
  } = parameters;
  if (plaintext !== undefined && plaintext !== "allow") throw invalidUrl('plaintext can only be "allow"');
  if (sslmode === "disable") {
    if (isNear || plaintext === "allow") return false;
    throw invalidUrl(
      "sslmode=disable would send the password and all calendars over the network unencrypted",
      "leave sslmode out, or add plaintext=allow where the network itself is private",
    );
  }
  const certificates = {
    // `system` is the default: the authorities of Node and of NODE_EXTRA_CA_CERTS.
    ...(sslrootcert !== undefined && sslrootcert !== "system" && { ca: readPem("sslrootcert", sslrootcert) }),
    ...(sslcert !== undefined && { cert: readPem("sslcert", sslcert) }),
    ...(sslkey !== undefined && { key: readPem("sslkey", sslkey) }),
  };
  requireUsable(certificates);
  switch (sslmode) {
    case "verify-full":
      return certificates;
    case "verify-ca":
      return { ...certificates, checkServerIdentity: () => undefined };
    case "require":
      // As with libpq: an authority that is given is also checked.
      return sslrootcert === undefined
        ? { ...certificates, rejectUnauthorized: false }
        : { ...certificates, checkServerIdentity: () => undefined };
    default:
      throw invalidUrl(
        `sslmode=${sslmode} is not supported`,
        "write verify-full, verify-ca, require or disable",
      );
  }
}

/** Reads a file, and checks what is in it: Node silently ignores a CA file without a certificate. */
function readPem(parameter: "sslrootcert" | "sslcert" | "sslkey", path: string): string {
  const invalid = (problem: string, options: CliErrorOptions) =>
    configurationError(`${parameter} in the URL of the database: ${path} ${problem}`, options);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw invalid(`cannot be read (${fileProblemOf(cause)})`, { cause });
  }
  const isKey = parameter === "sslkey";
  try {
    if (isKey) createPrivateKey(text);
    else new X509Certificate(text);
  } catch (cause) {
    throw isKey
      ? invalid("has no private key that can be used", { hint: KEY_HINT, cause })
      : invalid("has no certificate", { hint: CERTIFICATE_HINT, cause });
  }
  return text;
}

/** Otherwise pg would fail when the server has answered, and leave the connection open. */
function requireUsable(certificates: SecureContextOptions): void {
  if (certificates.cert === undefined) return;
  try {
    createSecureContext(certificates);
  } catch (cause) {
    const code = errorCodeOf(cause) ?? "unknown";
    const isOther = code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH";
    throw invalidUrl(
      isOther ? "sslkey is not the key of sslcert" : `sslcert or sslkey is not suitable for TLS (${code})`,
      "give the two files that belong together",
    );
  }
}

const CERTIFICATE_HINT = "give a file in PEM format, with -----BEGIN CERTIFICATE-----";
const KEY_HINT = "give a file in PEM format, with -----BEGIN PRIVATE KEY-----, without a passphrase";

function invalidUrl(
  problem: string,
  hint = "write postgres://USER@HOST:PORT/DATABASE, the password in PGPASSWORD or a password file",
): CliError {
  return configurationError(`the URL of the database cannot be used: ${problem}`, { hint });
}
