import { errorCodeOf } from "../../errors.js";
import type { Fault } from "../transport.js";

/** What went wrong, in one sentence. */
export interface Described {
  readonly fault: Fault;
  readonly message: string;
  readonly hint?: string;
}

/** The other end of a connection, as messages name it. */
export interface Peer {
  /** Such as `calendar.example:8443`. */
  readonly name: string;
  /** Such as `the host calendar.example`. */
  readonly host: string;
}

const IS_ADDRESS_RIGHT = "is the address right? if it is, try again later; repeating this is safe";

/**
 * Says why a connection did not come about.
 * @param codes of the error: several, each once, where a host has several addresses
 */
export function describeConnecting(error: unknown, codes: string, { name, host }: Peer): Described {
  const tls = describeTlsFault(codes, name, error);
  if (tls !== null) return { fault: "tls", ...tls };
  switch (codes) {
    case "ECONNREFUSED":
      return { fault: "unreachable", message: `nothing listens at ${name}`, hint: IS_ADDRESS_RIGHT };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { fault: "unreachable", message: `${host} cannot be found`, hint: IS_ADDRESS_RIGHT };
    case "UND_ERR_CONNECT_TIMEOUT":
      return { fault: "timeout", message: `${name} did not take a connection in time` };
    default:
      return { fault: "unreachable", message: `${name} cannot be reached (${codes})` };
  }
}

/** Code of an error that has none: it is not one of the network. */
export const NO_CODE = "unknown";

/** undici gives the errors of its HTTP parser no code. */
export const PARSER_ERROR = "HTTPParserError";

/** The code of a Node or undici error. A host with several addresses fails with one error each: all codes, each once. */
export function codesOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(codesOf))].join(", ");
  }
  return errorCodeOf(error) ?? (isParserError(error) ? PARSER_ERROR : NO_CODE);
}

/** Whether bytes came that are not HTTP. An answer that only ends too early is parsed as far as it came. */
export function isNoHttp(error: unknown): boolean {
  // What the parser says of an end that comes too early is about no bytes.
  return isParserError(error) && !("data" in error && error.data === "");
}

function isParserError(error: unknown): error is Error {
  return error instanceof Error && error.name === PARSER_ERROR;
}

/** What is wrong with a TLS connection, and what to do. */
export interface TlsFault {
  readonly message: string;
  readonly hint: string;
}

const TRUST_HINT =
  "if its authority is one of your own, name the file of that authority's certificate in NODE_EXTRA_CA_CERTS";
const CLOCK_HINT = "is this machine's clock right? if it is, the certificate has to be renewed there";

/** OpenSSL's reasons for an authority that is not known. @see openssl-verification-options(1) */
const UNKNOWN_AUTHORITY = new Set([
  "CERT_UNTRUSTED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

const OTHER_CERTIFICATE_FAULT =
  /^(?:CERT_|CRL_|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|UNABLE_TO_|ERR_TLS_CERT_)/;

/**
 * Says why no TLS connection came about.
 * @param code of Node's error
 * @param peer who is at the other end, as messages name it
 * @returns null for a code that is not of TLS
 */
export function describeTlsFault(code: string, peer: string, error: unknown): TlsFault | null {
  const certificate = `the certificate of ${peer}`;
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return { message: `${certificate} has expired`, hint: CLOCK_HINT };
    case "CERT_NOT_YET_VALID":
      return { message: `${certificate} is not valid yet`, hint: CLOCK_HINT };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return { message: `${certificate} is for ${namesOf(error)}`, hint: "is the host's name right?" };
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return {
        message: `${certificate} is signed by itself, and not trusted on this machine`,
        hint: "if it is the right one, name its file in NODE_EXTRA_CA_CERTS",
      };
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return {
        message: `${certificate} comes without its authority's, which is not known on this machine`,
        hint: TRUST_HINT,
      };
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return { message: `${peer} does not speak HTTPS`, hint: "is the port right?" };
    default:
      return describeByKind(code, peer);
  }
}

function describeByKind(code: string, peer: string): TlsFault | null {
  if (UNKNOWN_AUTHORITY.has(code)) {
    return {
      message: `the certificate of ${peer} is from an authority that this machine does not know (${code})`,
      hint: TRUST_HINT,
    };
  }
  if (OTHER_CERTIFICATE_FAULT.test(code)) {
    return { message: `the certificate of ${peer} is not accepted (${code})`, hint: TRUST_HINT };
  }
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) {
    const hint = "TLS 1.2 and 1.3 are spoken, without a certificate of the client's own";
    return { message: `no TLS connection with ${peer} could be agreed (${code})`, hint };
  }
  return null;
}

const NAMES_SHOWN = 3;

/** The names in the certificate, such as `a.example, b.example`. */
function namesOf(error: unknown): string {
  const names = subjectAltName(error)
    .split(", ")
    .map((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1])
    .filter((name) => name !== undefined);
  if (names.length === 0) return "another host";
  const more = names.length > NAMES_SHOWN ? ", …" : "";
  return `${names.slice(0, NAMES_SHOWN).join(", ")}${more} instead`;
}

function subjectAltName(error: unknown): string {
  if (typeof error !== "object" || error === null || !("cert" in error)) return "";
  const { cert } = error;
  if (typeof cert !== "object" || cert === null || !("subjectaltname" in cert)) return "";
  return String(cert.subjectaltname);
}
