import { errorCodeOf } from "../../errors.js";
import type { FailureKind } from "../transport.js";

/** What an error message says about a failure. */
export interface FailureDescription {
  readonly kind: FailureKind;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The other end of a connection, as messages name it. */
export interface Peer {
  /** Such as `calendar.example:8443`. */
  readonly name: string;
  /** Such as `the host calendar.example`. */
  readonly host: string;
}

const CHECK_ADDRESS = "check the address; if it is right, try again later: this is safe to repeat";

/**
 * Describes why a connection could not be opened.
 * @param codes the error's codes: several, without duplicates, for a host with several addresses
 */
export function describeConnectFailure(
  error: unknown,
  codes: string,
  { name, host }: Peer,
): FailureDescription {
  const tls = describeTlsFailure(codes, name, error);
  if (tls !== null) return { kind: "tls", ...tls };
  switch (codes) {
    case "ECONNREFUSED":
      return { kind: "unreachable", message: `${name} refused the connection`, hint: CHECK_ADDRESS };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { kind: "unreachable", message: `${host} cannot be found`, hint: CHECK_ADDRESS };
    case "UND_ERR_CONNECT_TIMEOUT":
      return { kind: "timeout", message: `the connection to ${name} timed out` };
    default:
      return { kind: "unreachable", message: `cannot connect to ${name} (${codes})` };
  }
}

/** Stands for the code of an error without one, which does not come from the network. */
export const NO_CODE = "unknown";

/** Name of the errors of undici's HTTP parser, which have no code. */
export const PARSER_ERROR = "HTTPParserError";

/** Code of a Node or undici error. A host with several addresses has one for each, listed without duplicates. */
export function codesOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(codesOf))].join(", ");
  }
  return errorCodeOf(error) ?? (isParserError(error) ? PARSER_ERROR : NO_CODE);
}

/** Whether the peer sent bytes that are not HTTP. False for a response that only ended too early. */
export function isNotHttp(error: unknown): boolean {
  // Empty data means that the connection was closed, not that its bytes were wrong.
  return isParserError(error) && !("data" in error && error.data === "");
}

function isParserError(error: unknown): error is Error {
  return error instanceof Error && error.name === PARSER_ERROR;
}

type TlsDescription = Required<Omit<FailureDescription, "kind">>;

const TRUST_HINT = "if the issuer is your own, set NODE_EXTRA_CA_CERTS to the file of its certificate";
const CLOCK_HINT = "check this machine's clock; if it is right, the service must renew its certificate";

/** OpenSSL's codes for an unknown issuer. @see openssl-verification-options(1) */
const UNKNOWN_ISSUER = new Set([
  "CERT_UNTRUSTED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

const OTHER_CERTIFICATE_ERROR =
  /^(?:CERT_|CRL_|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|UNABLE_TO_|ERR_TLS_CERT_)/;

/** Null for a code that does not come from TLS. */
function describeTlsFailure(code: string, peer: string, error: unknown): TlsDescription | null {
  const certificate = `the certificate of ${peer}`;
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return { message: `${certificate} has expired`, hint: CLOCK_HINT };
    case "CERT_NOT_YET_VALID":
      return { message: `${certificate} is not valid yet`, hint: CLOCK_HINT };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return { message: `${certificate} is for ${namesOf(error)}`, hint: "check the host name" };
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return {
        message: `${certificate} is self-signed`,
        hint: "if you trust it, set NODE_EXTRA_CA_CERTS to its file",
      };
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return {
        message: `the certificate chain of ${peer} is incomplete: the issuer's certificate is missing`,
        hint: TRUST_HINT,
      };
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return { message: `${peer} does not speak HTTPS`, hint: "check the port" };
    default:
      return describeOtherTlsFailure(code, peer);
  }
}

function describeOtherTlsFailure(code: string, peer: string): TlsDescription | null {
  const certificate = `the certificate of ${peer}`;
  if (UNKNOWN_ISSUER.has(code)) {
    return { message: `${certificate} has an unknown issuer (${code})`, hint: TRUST_HINT };
  }
  if (OTHER_CERTIFICATE_ERROR.test(code)) {
    return { message: `${certificate} is not accepted (${code})`, hint: TRUST_HINT };
  }
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) {
    const hint = "calctl supports TLS 1.2 and 1.3, without client certificates";
    return { message: `the TLS handshake with ${peer} failed (${code})`, hint };
  }
  return null;
}

const MAX_NAMES = 3;

/** The names in the certificate, such as `a.example, b.example`. */
function namesOf(error: unknown): string {
  const names = subjectAltName(error)
    .split(", ")
    .map((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1])
    .filter((name) => name !== undefined);
  if (names.length === 0) return "another host";
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ["…"] : [])].join(", ");
}

function subjectAltName(error: unknown): string {
  if (typeof error !== "object" || error === null || !("cert" in error)) return "";
  const { cert } = error;
  if (typeof cert !== "object" || cert === null || !("subjectaltname" in cert)) return "";
  return String(cert.subjectaltname);
}
